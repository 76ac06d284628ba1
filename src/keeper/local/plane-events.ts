import type { PlaneEvent } from '../../control-plane/status/plane-status.ts'
import { Turns } from '../../shared/concurrency/turns.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { FileBoard } from './plane-boards.ts'

const HOUR_MS = 3_600_000

/** A client that comes again and again must not fill the disk. */
const MAX_EVENTS = 100

type EventBoard = FileBoard<readonly PlaneEvent[]>

/** Stores what happens to local planes, for `vplane events`. One of a process. */
export class PlaneEvents {
  readonly #boardOf: (name: string) => EventBoard
  readonly #turns = new Turns({ atOnce: 1 })

  constructor(boardOf: (name: string) => EventBoard) {
    this.#boardOf = boardOf
  }

  async add(name: string, event: KeeperEvent): Promise<void> {
    using _turn = await this.#turns.take()
    const board = this.#boardOf(name)
    const object = `ControlPlane/${name}`
    await board.write(withEvent(await board.read(), { ...event, object }, new Date()))
  }
}

/** The events of the last hour with another one; one that happens again is counted. */
export function withEvent(
  events: readonly PlaneEvent[],
  { level, message, object, reason }: KeeperEvent & { object: string },
  now: Date,
): PlaneEvent[] {
  const isSame = (event: PlaneEvent) => event.reason === reason && event.message === message
  const count = (events.find(isSame)?.count ?? 0) + 1
  const recent = events.filter(
    (event) => !isSame(event) && now.getTime() - event.at.getTime() < HOUR_MS,
  )
  return [...recent, { at: now, level, object, reason, message, count }].slice(-MAX_EVENTS)
}
