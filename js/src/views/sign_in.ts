/** The agent wants a sign-in: the ways that there are, drawn by a part of the bundle. */

import { h, setText, show, type View } from "../dom";
import type { Session } from "../wire";
import type { Auth } from "../wire_auth";
import type { ViewContext } from "./context";

/** What the part "sign_in" gives. */
export interface SignInPart {
  draw(ctx: ViewContext, node: HTMLElement, auth: Auth): void;
}

export function createSignIn(ctx: ViewContext): View<Session | null> {
  const node = h("section", { class: "acp-card", hidden: true });
  let shown: Auth | null = null;
  return {
    node,
    update(session) {
      const auth = session?.auth;
      show(node, auth?.required === true);
      if (!auth?.required || auth === shown) return;
      if (shown === null) setText(node, "The agent wants you to sign in: chat.sign_in()");
      shown = auth;
      void ctx.hooks.load("sign_in").then((part) => (part as SignInPart | null)?.draw(ctx, node, auth));
    },
    dispose: () => undefined,
  };
}
