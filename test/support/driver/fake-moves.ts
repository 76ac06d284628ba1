import { createHash } from 'node:crypto'
import {
  type DataFingerprint,
  isSameData,
} from '../../../src/control-plane/plane/data-fingerprint.ts'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import { COMPONENT_NAMES, type Plane } from '../../../src/control-plane/plane/plane.ts'
import {
  type LeaveRequest,
  moveOf,
  type PlaneMoves,
  type ReturnRequest,
  type TakeBackRequest,
} from '../../../src/control-plane/driver/plane-moves.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { FakePlane } from './fake-plane.ts'

/** How planes in memory leave their driver. */
export class FakeMoves implements PlaneMoves {
  readonly #driver: { inside: (plane: Plane) => FakePlane; calls: string[] }

  constructor(driver: { inside: (plane: Plane) => FakePlane; calls: string[] }) {
    this.#driver = driver
  }

  async fingerprint(plane: Plane): Promise<DataFingerprint> {
    const found = this.#driver.inside(plane)
    if (!found.hasEtcd()) {
      throw new VplaneError('FAILED', `etcd of "${plane.name}" does not run`)
    }
    const { objects } = found.api
    return {
      keys: objects.size,
      sha256: createHash('sha256').update(found.api.save()).digest('hex'),
    }
  }

  async leave(plane: Plane, { hasBegun, to, transfer }: LeaveRequest): Promise<void> {
    this.#driver.calls.push(`leave ${plane.name}`)
    const found = this.#driver.inside(plane)
    const stored = storedOf(found)
    const former = stored.movingTo?.handedTo
    if (former === undefined || !(await hasBegun(former))) {
      const fenced = { ...stored, desired: 'paused', movingTo: moveOf(stored, to) } as const
      found.stored = fenced
      COMPONENT_NAMES.forEach((component) => found.stop(component))
      found.start(['etcd'])
      await transfer((handedTo, handed) => {
        found.stored = { ...fenced, movingTo: { ...fenced.movingTo, handedTo, handed } }
        return Promise.resolve()
      })
    }
    found.stop('etcd')
  }

  async takeBack(plane: Plane, { handed, movingFrom }: TakeBackRequest): Promise<boolean> {
    this.#driver.calls.push(`take back ${plane.name}`)
    const found = this.#driver.inside(plane)
    const stored = storedOf(found)
    if (stored.movingFrom === movingFrom) {
      return true
    }
    if (
      stored.desired !== 'running' ||
      stored.movingTo !== undefined ||
      stored.restoring !== undefined
    ) {
      return false
    }
    if (!isSameData(handed, await this.fingerprint(plane))) {
      return false
    }
    COMPONENT_NAMES.forEach((component) => found.stop(component))
    found.stored = { ...stored, desired: 'paused', restoring: {}, movingFrom }
    return true
  }

  async return(plane: Plane, { takeBack, undo }: ReturnRequest): Promise<void> {
    this.#driver.calls.push(`return ${plane.name}`)
    const found = this.#driver.inside(plane)
    const { movingTo, ...free } = storedOf(found)
    if (movingTo?.handedTo !== undefined) {
      await takeBack(movingTo)
      found.stored = { ...free, movingTo: moveOf({ ...free, movingTo }, movingTo.to) }
    }
    await undo()
    if (movingTo?.wasPaused === true) {
      found.stored = free
      found.stop('etcd')
    } else if (movingTo !== undefined) {
      found.stored = { ...free, desired: 'running' }
      found.start()
    }
  }
}

function storedOf({ stored }: FakePlane): Plane {
  if (!isReadable(stored)) {
    throw new VplaneError('FAILED', stored.reason)
  }
  return stored
}
