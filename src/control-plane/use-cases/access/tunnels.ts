import type { PlaneReference } from '../../plane/plane.ts'

/** A tunnel of this machine that outlives commands, as it is now. */
export interface TunnelState {
  plane: PlaneReference
  /** Where it listens: `127.0.0.1:21443`. */
  address: string
  /** Whether its process lives and its port answers. */
  isUp: boolean
  /** Why it cannot reach the plane, such as that a login is needed. */
  problem?: string
}

/** The tunnels of this machine that outlive commands. */
export interface BackgroundTunnels {
  /** Ends the tunnel to a plane and forgets it; false when there was none. */
  stop(plane: PlaneReference): Promise<boolean>
  list(): Promise<TunnelState[]>
}
