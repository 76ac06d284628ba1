import type { PlaneReference } from '../../plane/plane.ts'

export interface TunnelState {
  plane: PlaneReference
  /** Where it listens: `127.0.0.1:21443`. */
  address: string
  /** Whether its process runs and its port answers. */
  isUp: boolean
  /** Why it cannot reach the plane, such as a login that is needed. */
  problem?: string
}

/** The tunnels on this machine that outlive commands. */
export interface BackgroundTunnels {
  /** Stops the tunnel to a plane and deletes its record; returns false when there was none. */
  stop(plane: PlaneReference): Promise<boolean>
  list(): Promise<TunnelState[]>
}
