/** The part of the state about signing in with the agent; see `wire.ts`. */

/** A variable that a way to sign in wants in the agent's environment. */
export interface AuthVariable {
  readonly name: string;
  readonly label: string | null;
  readonly secret: boolean;
  readonly optional: boolean;
}

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** agent, terminal, env_var, or a word that the protocol does not know. */
  readonly kind: string;
  /** What the person runs in a terminal, for the kind `terminal`. */
  readonly command: string | null;
  /** For the kind `env_var`. */
  readonly variables: readonly AuthVariable[];
  readonly link: string | null;
}

export interface Auth {
  /** The agent has said that somebody has to sign in, and nothing has worked since. */
  readonly required: boolean;
  /** Its words. */
  readonly message: string | null;
  readonly methods: readonly AuthMethod[];
  /** The method that is being tried. */
  readonly running: string | null;
  /** Why the last try failed. */
  readonly error: string | null;
  /** Whether the agent lets a person sign out. */
  readonly logout: boolean;
}
