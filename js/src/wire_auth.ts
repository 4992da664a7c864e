/** The part of the state about signing in with the agent; see `wire.ts`. */

/** A value that a way to sign in wants: a variable in the agent's environment, or what a person types. */
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
  /** agent, terminal, env_var, api-key and gateway (vendors' own), or a word that the protocol does not know. */
  readonly kind: string;
  /** What the person runs in a terminal, for the kind `terminal`. */
  readonly command: string | null;
  /** For the kind `env_var`. */
  readonly variables: readonly AuthVariable[];
  readonly link: string | null;
  /** What the person types. Absent in notebooks saved by the first version, as is `meta`. */
  readonly fields?: readonly AuthVariable[];
  /** What the vendor says that is not understood here, as JSON. */
  readonly meta?: string | null;
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
