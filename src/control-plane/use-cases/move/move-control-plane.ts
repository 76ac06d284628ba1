import { VplaneError } from '../../../shared/errors.ts'
import type { Leftover } from '../../driver/driver.ts'
import type { Operation } from '../../driver/operation.ts'
import { asRunning, type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { DataFingerprint } from '../../plane/data-fingerprint.ts'
import { type HandOver, moveOf } from '../../driver/plane-moves.ts'
import type { AddressOutlook, PodVolume } from '../../driver/plane-pods.ts'
import { waitForAccess } from '../access/access.ts'
import { addressLines } from '../restore/address-lines.ts'
import { agreeTo, numbered } from '../change/agree-to.ts'
import { deletePlacedPods } from '../../api/delete-placed-pods.ts'
import { deleteTransferred } from './delete-transferred.ts'
import { type FindMoveOptions, findMove, type FoundMove, hasArrived } from './find-move.ts'
import { namesOfVolumes, refuseLostVolumes } from '../snapshot/lost-volumes.ts'
import { placeOf } from '../../plane/plane-words.ts'
import { refuseRotation } from '../find/unfinished-rotations.ts'
import { type RepointDependencies, repointContext } from '../connect/repoint-context.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import { specForDriver } from '../restore/spec-for-driver.ts'
import { type TransferDependencies, transferData } from './transfer-data.ts'

export type MoveDependencies = RepointDependencies & TransferDependencies

export interface MoveOptions extends FindMoveOptions {
  /** Leave the plane where it was, fenced. */
  keepSource: boolean
  /** Go on though what lies on the volumes of its pods does not go along. @default false */
  withoutVolumes?: boolean
  /** Do not ask. */
  isConfirmed: boolean
  /** Say what would be done, and do nothing. */
  isDryRun: boolean
  /** How long each part may take, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

export interface MoveResult {
  from: PlaneReference
  to: PlaneReference
  /** What is done, in its order: nothing when the plane is there already. */
  steps: string[]
  /** False when it was only to be said, or there was nothing to do. */
  isMoved: boolean
  /** Of the data that was brought there; undefined when an earlier call had done that. */
  fingerprint?: DataFingerprint
  /** The context that leads to it now, if one led to where it was. */
  context?: string
  /** What is still where it was, and why. */
  leftovers: Leftover[]
  /** The volume claims of its pods whose data does not go along. */
  volumes: string[]
  /** The Services that get another address there, as far as that is known. */
  readdressed: string[]
}

/**
 * Moves a plane to another place, where it is the same to all who know it but for its address. It is fenced first, so that
 * there is one of it at any moment; what was brought there is compared key by key before anybody can write there. One that
 * was cut off goes on by the same call.
 *
 * @throws {VplaneError} `ABORTED` after a no, `USAGE` when nobody can be asked or its pods have volumes, `FAILED` while
 * keys are being rotated and when the data that arrived is not the data that left, and what `findMove`, the drivers and
 * `waitForAccess` throw.
 */
export async function moveControlPlane(
  deps: MoveDependencies,
  options: MoveOptions,
): Promise<MoveResult> {
  const { isConfirmed, isDryRun, keepSource, signal, timeoutMs, withoutVolumes = false } = options
  const { ui } = deps
  const move = await findMove(deps, options)
  const { driver, plane } = move.source
  const { isThere, target, to } = move
  if (isThere) {
    const nothing = { steps: [], leftovers: [], volumes: [], readdressed: [] }
    return { from: referenceOf(plane), to, ...nothing, isMoved: false }
  }
  if (plane.movingTo === undefined) {
    await refuseRotation(move.source)
  }
  const volumes = await driver.pods.volumes(plane)
  if (!isBegun(move)) {
    refuseLostVolumes(plane.name, volumes, withoutVolumes)
  }
  const outlook = await outlookOf(move, signal)
  const { former } = move
  const formerVolumes = former === undefined ? [] : await target.driver.pods.volumes(former)
  const steps = stepsOf(move, { keepSource, volumes, formerVolumes })
  const result = {
    from: referenceOf(plane),
    to,
    steps,
    leftovers: [],
    volumes: volumes.map(({ name }) => name),
    readdressed: outlook.lost.map(({ name }) => name),
  }
  const proposal = {
    lines: [...numbered(steps), ...addressLines(outlook)],
    question: `Move "${plane.name}" to ${placeOf(to)}?`,
    refusal: `"${plane.name}" was left as it is`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isMoved: false }
  }
  const begunAt = deps.now()
  const operation = { ui, signal, timeoutMs }
  const leftovers = former === undefined ? [] : await target.driver.remove(former, operation)
  const arrival = await arrivalFor(move, operation)
  let fingerprint: DataFingerprint | undefined
  await sayingHowToGoOn(deps, plane, async () => {
    // Without a credential at hand its contexts look how it is.
    await deps.accesses.remove(plane)
    const transfer = async (handOver: HandOver) => {
      fingerprint = await transferData(deps, { move, arrival, handOver, operation })
    }
    const hasBegun = (id: string) => hasArrived(move, id)
    await driver.moves.leave(plane, { to, hasBegun, transfer }, operation)
  })
  await deleteTransferred(deps, { plane, signal })
  // The call that handed it over may have come no further.
  await target.driver.start(arrival, operation)
  const arrived = { driver: target.driver, plane: asRunning(arrival), timeoutMs, signal }
  const access = await waitForAccess(deps, arrived)
  if (plane.spec.host?.sync !== undefined && plane.hostContext !== to.hostContext) {
    await using api = deps.openApi(access)
    await deletePlacedPods(api, { before: begunAt, signal })
  }
  const context = await repointContext(deps, plane, arrived)
  if (moveOf(plane, to).wasPaused === true) {
    await pauseThere(deps, arrived, { idleSince: plane.idleSince, operation })
  }
  return {
    ...result,
    isMoved: true,
    leftovers: [...leftovers, ...(keepSource ? [] : await driver.remove(plane, operation))],
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(context === undefined ? {} : { context }),
  }
}

/** Whether an earlier call has made the plane there, or fenced it here: what was asked for then holds. */
function isBegun({ arrival, source: { plane } }: FoundMove): boolean {
  return arrival !== undefined || plane.movingTo !== undefined
}

/** What becomes of the addresses of its Services; with the plane there they have come to what they are. */
async function outlookOf(
  { arrival, source: { driver, plane }, target, to }: FoundMove,
  signal: AbortSignal,
): Promise<AddressOutlook> {
  const addresses = arrival === undefined ? await driver.pods.addresses(plane) : []
  return addresses.length === 0
    ? { lost: [] }
    : target.driver.pods.outlook(addresses, to.namespace ?? '', signal)
}

interface StepOptions {
  keepSource: boolean
  volumes: readonly PodVolume[]
  /** Of the plane that is replaced where it goes. */
  formerVolumes: readonly PodVolume[]
}

function stepsOf(
  { arrival, former, source: { plane }, to }: FoundMove,
  { formerVolumes, keepSource, volumes }: StepOptions,
): string[] {
  const here = placeOf(plane)
  const isHandedOver = plane.movingTo?.handedTo !== undefined
  const formerData = `what is kept of it from before it came here: ${placeOf(to)}`
  return [
    ...(former === undefined ? [] : [`remove ${formerData}${alongWith(formerVolumes)}`]),
    ...(arrival === undefined ? [`make "${plane.name}" at rest: ${placeOf(to)}`] : []),
    ...(plane.movingTo === undefined ? [`fence it, so that nobody uses it: ${here}`] : []),
    ...(isHandedOver ? [] : ['bring its data there, and compare all keys']),
    'start it there',
    'make its context lead there',
    ...(moveOf(plane, to).wasPaused === true ? ['pause it there, as it was here'] : []),
    keepSource
      ? 'keep it where it was, fenced'
      : `remove it where it was: ${here}${alongWith(volumes)}`,
  ]
}

function alongWith(volumes: readonly PodVolume[]): string {
  return volumes.length === 0 ? '' : `, with what lies on ${namesOfVolumes(volumes)}`
}

/** The plane where it goes: at rest and without data, unless this one was handed over to it. */
async function arrivalFor(
  { arrival, source: { driver, plane }, target }: FoundMove,
  operation: Operation,
): Promise<Plane> {
  if (arrival !== undefined && plane.movingTo?.handedTo !== undefined) {
    return arrival
  }
  const keys = await driver.keys(plane, operation.signal)
  const made = await target.driver.create(
    {
      name: plane.name,
      ...specForDriver(plane, target.driver.name),
      wait: true,
      atRest: { keys, movingFrom: plane.id },
      ...(target.host === undefined ? {} : { host: target.host }),
    },
    operation,
  )
  if (made.movingFrom !== plane.id) {
    throw new VplaneError('CONTROL_PLANE_EXISTS', `somebody else has made "${plane.name}" there`)
  }
  return made
}

/** One that paused itself where it was has done so there: any use starts it. */
async function pauseThere(
  { accesses }: Pick<MoveDependencies, 'accesses'>,
  { driver, plane }: ResolvedPlane,
  { idleSince, operation }: { idleSince: Date | undefined; operation: Operation },
): Promise<void> {
  const idle = idleSince && { since: idleSince, isStill: () => Promise.resolve(true) }
  await driver.pause(plane, operation, { idle })
  await accesses.remove(plane)
}

async function sayingHowToGoOn(
  { ui }: Pick<MoveDependencies, 'ui'>,
  plane: Plane,
  leave: () => Promise<void>,
): Promise<void> {
  try {
    await leave()
  } catch (error) {
    const purpose = 'to keep it where it was'
    ui.note('The same command goes on', { purpose, action: 'move', plane, abort: true })
    throw error
  }
}
