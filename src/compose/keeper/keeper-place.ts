import { join } from 'node:path'

/** What belongs to the one keeper of a user's local planes. */
export interface KeeperPlace {
  /** Held by the keeper for as long as it looks after planes. */
  lock: string
  log: string
}

/** Where it is, below the folder of all local planes. */
export function keeperPlace(root: string): KeeperPlace {
  return { lock: join(root, 'locks', '.keeper'), log: join(root, 'keeper.log') }
}
