import { refuseDeclared } from './refuse-declared.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Leftover } from '../../driver/driver.ts'
import type { Operation } from '../../driver/operation.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { asRunning, type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { DataFingerprint } from '../../plane/data-fingerprint.ts'
import { type HandOver, moveOf } from '../../driver/plane-moves.ts'
import type { AddressOutlook, PodVolume } from '../../driver/plane-pods.ts'
import { waitForAccess } from '../access/access.ts'
import { addressLines } from '../change/address-lines.ts'
import { agreeTo, type Consent } from '../change/agree-to.ts'
import { deletePlacedPods } from '../../api/delete-placed-pods.ts'
import { deleteTransferred } from './delete-transferred.ts'
import { type FindMoveOptions, findMove, type FoundMove, hasArrived } from './find-move.ts'
import type { SnapshotDependencies } from '../snapshot/create-snapshot.ts'
import { refuseLostVolumes, refuseUnshownVolumes } from '../snapshot/lost-volumes.ts'
import { placeOf } from '../../plane/plane-words.ts'
import { finishFirst } from '../find/finish-first.ts'
import { refuseRotation } from '../find/unfinished-rotations.ts'
import { type RepointDependencies, repointContext } from '../connect/repoint-context.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import { specForDriver } from '../restore/spec-for-driver.ts'
import { transferData } from './transfer-data.ts'

export type MoveDependencies = RepointDependencies & SnapshotDependencies

export interface MoveOptions extends FindMoveOptions, Consent {
  /** Keep the plane at its old place, fenced. */
  keepSource: boolean
  /** Continue although the data on volumes of its pods is not moved. @default false */
  withoutVolumes?: boolean
  /** How long each part may take, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

export interface MoveResult {
  from: PlaneReference
  to: PlaneReference
  /** What is done, in order: nothing when the plane is at its new place already. */
  steps: PlanStep[]
  /** False when there was nothing to do, and in a dry run. */
  isMoved: boolean
  /** The fingerprint of the data that was moved; undefined when an earlier call moved it. */
  fingerprint?: DataFingerprint
  /** Its new context, if it had one at its old place. */
  context?: string
  /** What could not be removed from the old place, and why. */
  leftovers: Leftover[]
  /** The volume claims of its pods whose data is not moved. */
  volumes: string[]
  /** The Services that get another address, as far as that is known. */
  readdressed: string[]
}

/**
 * Moves a plane to another place, where only its address changes for its clients. Fences it first, so that at most one
 * of the two runs at any time, and compares all keys of the moved data before any client can write. The same call
 * continues an interrupted move.
 * @throws {VplaneError} `USAGE` when its pods have volumes, `CONFLICT` when they get some until it is fenced, `FAILED`
 * during a rotation of its keys and when the data that arrived differs from the data that left, and what `agreeTo`,
 * `findMove`, the drivers and `waitForAccess` throw.
 */
export async function moveControlPlane(
  deps: MoveDependencies,
  options: MoveOptions,
): Promise<MoveResult> {
  const { isConfirmed, isDryRun, keepSource, signal, timeoutMs, withoutVolumes = false } = options
  const { ui } = deps
  const move = await findMove(deps, options)
  const { driver, plane } = move.source
  const { isDone, target, to } = move
  if (isDone) {
    const nothing = { steps: [], leftovers: [], volumes: [], readdressed: [] }
    return { from: referenceOf(plane), to, ...nothing, isMoved: false }
  }
  await finishFirst('move', move.source, { ui, signal, timeoutMs, isDryRun })
  refuseDeclared(plane)
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
    steps,
    effects: addressLines(outlook),
    question: `Move "${plane.name}" to ${placeOf(to)}?`,
    refusal: `"${plane.name}" was left unchanged`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isMoved: false }
  }
  const begunAt = deps.now()
  const operation = { ui, signal, timeoutMs }
  await ensureTools(move, operation)
  const leftovers = former === undefined ? [] : await target.driver.remove(former, operation)
  const arrival = await arrivalFor(move, operation)
  let fingerprint: DataFingerprint | undefined
  await withHints(deps, plane, async () => {
    // Without a cached credential, its contexts check the plane.
    await deps.accesses.remove(plane)
    const transfer = async (handOver: HandOver) => {
      const found = keepSource ? [] : await driver.pods.volumes(plane)
      refuseUnshownVolumes(plane.name, { found, shown: volumes })
      fingerprint = await transferData(deps, { move, arrival, handOver, operation })
    }
    const hasBegun = (id: string) => hasArrived(move, id)
    await driver.moves.leave(plane, { to, hasBegun, transfer }, operation)
  })
  await deleteTransferred(deps, { plane, signal })
  // An earlier call may have been interrupted right after the handover.
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
    ...omitUndefined({ fingerprint, context }),
  }
}

/** Whether an earlier call has created the plane at its new place, or fenced it here: its checks still apply. */
function isBegun({ arrival, source: { plane } }: FoundMove): boolean {
  return arrival !== undefined || plane.movingTo !== undefined
}

/** What happens to the addresses of its Services; once the plane exists at its new place, that is decided. */
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
  formerVolumes: readonly PodVolume[]
}

function stepsOf(
  { arrival, former, source: { plane }, to }: FoundMove,
  { formerVolumes, keepSource, volumes }: StepOptions,
): PlanStep[] {
  const [here, there] = [placeOf(plane), placeOf(to)]
  const isHandedOver = plane.movingTo?.handedTo !== undefined
  const steps: Array<PlanStep | undefined> = [
    former && { action: 'delete-former', place: there, volumes: namesIn(formerVolumes) },
    arrival === undefined
      ? { action: 'create-stopped', name: plane.name, place: there }
      : undefined,
    plane.movingTo === undefined ? { action: 'fence', place: here } : undefined,
    isHandedOver ? undefined : { action: 'transfer-data' },
    { action: 'start-there' },
    { action: 'point-context' },
    moveOf(plane, to).wasPaused === true ? { action: 'pause-there' } : undefined,
    keepSource
      ? { action: 'keep-fenced' }
      : { action: 'delete-source', place: here, volumes: namesIn(volumes) },
  ]
  return steps.filter((step) => step !== undefined)
}

function namesIn(volumes: readonly PodVolume[]): string[] {
  return volumes.map(({ name }) => name)
}

/** Gets the programs that bring its data from one place to the other, unless an earlier call has brought it. */
async function ensureTools({ source, target }: FoundMove, operation: Operation): Promise<void> {
  const { driver, plane } = source
  if (plane.movingTo?.handedTo === undefined) {
    const { spec } = specForDriver(plane, target.driver.name)
    await target.driver.tools?.ensure({ spec, forRestore: true }, operation)
    await driver.tools?.ensure(plane, operation)
  }
}

/** The plane at its new place: stopped and without data, unless it was handed over. */
async function arrivalFor(
  { arrival, source: { driver, plane }, target }: FoundMove,
  operation: Operation,
): Promise<Plane> {
  if (arrival !== undefined && plane.movingTo?.handedTo !== undefined) {
    return arrival
  }
  const keys = await driver.keys(plane, operation.signal)
  const specs = specForDriver(plane, target.driver.name)
  const awaitsRestore = { keys, movingFrom: plane.id }
  const place = omitUndefined({ host: target.host })
  const request = { name: plane.name, ...specs, wait: true, awaitsRestore, ...place }
  const created = await target.driver.create(request, operation)
  if (created.movingFrom !== plane.id) {
    throw new VplaneError('CONTROL_PLANE_EXISTS', `someone else has created "${plane.name}" there`)
  }
  return created
}

/** A plane that had paused itself counts as self-paused at its new place too: any use starts it. */
async function pauseThere(
  { accesses }: Pick<MoveDependencies, 'accesses'>,
  { driver, plane }: ResolvedPlane,
  { idleSince, operation }: { idleSince: Date | undefined; operation: Operation },
): Promise<void> {
  const idle = idleSince && { since: idleSince, isStill: () => Promise.resolve(true) }
  await driver.pause(plane, operation, { idle })
  await accesses.remove(plane)
}

async function withHints(
  { ui }: Pick<MoveDependencies, 'ui'>,
  plane: Plane,
  leave: () => Promise<void>,
): Promise<void> {
  try {
    await leave()
  } catch (error) {
    const purpose = 'to keep it where it was'
    ui.note('The same command continues', { purpose, action: 'move', plane, abort: true })
    throw error
  }
}
