import type { WakeSource } from '../../control-plane/status/wake-status.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'

/** How the clients of planes on this machine are told apart, as far as its system shows them. */
export interface LocalClients {
  /** The client of a connection that wakes a plane. @throws {Error} for this process itself, which wakes nothing. */
  wakingFrom: (ports: { from: number; to: number }) => Promise<WakeSource | undefined>
  /** The clients that stay connected to a plane, apart from its components; undefined for each that is unknown. */
  connectedTo: (folder: PlaneFolder, port: number) => Promise<Array<WakeSource | undefined>>
  /** Whether a client that woke a plane in vain may wake it again. */
  isPresent: (source: WakeSource, since: Date) => boolean
}

/** The keeper may ask a plane for its use while that is being paused. */
export const OF_KEEPER = 'the keeper itself does not wake a plane'
