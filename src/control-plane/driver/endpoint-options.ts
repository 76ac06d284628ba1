export interface EndpointOptions {
  /** The address must work after this process ends, such as in a context. */
  lasting: boolean
  /** The address that the user gave: `https://plane.example:443`. vplane neither searches one nor opens a tunnel. */
  server?: string | undefined
  /** Port of the tunnel on this machine; only with the `kubernetes` driver. @default the recorded one, or a free one */
  localPort?: number | undefined
  /** Address that the tunnel listens on; only with the `kubernetes` driver. @default 127.0.0.1 */
  address?: string | undefined
  /** How long an unused tunnel runs, in milliseconds. @default as recorded, or 30 minutes */
  idleTimeoutMs?: number | undefined
  /**
   * The caller only inspects the plane, which does not count as use. It must not extend the life of a shared tunnel, which
   * stops before a plane pauses itself. @default false
   */
  isReadOnly?: boolean
  /** The API is known to serve, so a connection waits for its answer and not for a plane that starts. @default false */
  isServing?: boolean
}

/** The options for inspecting a plane. */
export const READ_ONLY: EndpointOptions = { lasting: false, isReadOnly: true }
