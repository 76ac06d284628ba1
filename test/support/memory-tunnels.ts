import { isSamePlane, type PlaneReference } from '../../src/control-plane/plane/plane.ts'
import type {
  BackgroundTunnels,
  TunnelState,
} from '../../src/control-plane/use-cases/access/tunnels.ts'

/** The tunnels of a machine in memory. */
export class MemoryTunnels implements BackgroundTunnels {
  tunnels: TunnelState[] = []
  /** Thrown by everything. @default nothing is */
  failure: Error | undefined

  async stop(plane: PlaneReference): Promise<boolean> {
    await this.#look()
    const before = this.tunnels.length
    this.tunnels = this.tunnels.filter((tunnel) => !isSamePlane(tunnel.plane, plane))
    return this.tunnels.length < before
  }

  async list(): Promise<TunnelState[]> {
    await this.#look()
    return this.tunnels
  }

  /** Adds one that is up. */
  open(plane: PlaneReference): void {
    this.tunnels.push({ plane, address: '127.0.0.1:21000', isUp: true })
  }

  #look(): Promise<void> {
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure)
  }
}
