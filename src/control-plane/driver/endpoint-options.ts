/** How the API of a plane is to be reached. */
export interface EndpointOptions {
  /** Something outside of this process will use it, such as a context: it stays when the process ends. */
  lasting: boolean
  /** Where the API is, said by the user: `https://plane.example:443`. Nothing is looked for, no tunnel is made. */
  server?: string | undefined
  /** Port of the tunnel on this machine; only with the `kubernetes` driver. @default the recorded one, or a free one */
  localPort?: number | undefined
  /** Address that the tunnel listens on; only with the `kubernetes` driver. @default 127.0.0.1 */
  address?: string | undefined
  /**
   * The tunnel ends when it was not used for so long, in milliseconds; only with the `kubernetes` driver.
   * @default the recorded time, or 30 minutes
   */
  idleTimeoutMs?: number | undefined
  /**
   * It is for a look at the plane alone, which is no use of it: a tunnel that others use is left alone, as it ends before
   * a plane that pauses itself does. @default false
   */
  isReadOnly?: boolean
  /** The API is known to serve: who uses the way waits for its answer, and not for a plane that starts. @default false */
  isServing?: boolean
}

/** The way in for a look at a plane. */
export const READ_ONLY: EndpointOptions = { lasting: false, isReadOnly: true }
