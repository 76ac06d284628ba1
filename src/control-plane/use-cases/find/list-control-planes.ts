import { retainedDataHints } from '../../plane/plane-words.ts'
import { isVplaneError, messageOf } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver, LookupScope } from '../../driver/driver.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import type { PlaneStatus } from '../../status/plane-status.ts'
import { answersReady } from '../../api/answers-ready.ts'
import type { AccessDependencies } from '../access/access.ts'
import type { Contexts } from '../access/contexts.ts'
import { candidatesOf, type PlaneSelector } from './find-planes.ts'
import { findPlane } from './resolve-plane.ts'
import { isLabelled, sortKey } from './select-planes.ts'
import { type UnfinishedRotation, unfinishedRotations } from './unfinished-rotations.ts'
import type { BackgroundTunnels, TunnelState } from '../access/tunnels.ts'
import type { LabelRequirement } from '../../../shared/kube/label-selector.ts'
import { within } from '../../../shared/wait.ts'

export interface ListedPlane {
  plane: Plane | UnreadablePlane
  status: PlaneStatus
  /** The user's kubeconfig has a context for it. */
  isConnected: boolean
  tunnel?: TunnelState
  /** The unfinished rotations of its keys; undefined when they were not read, or cannot be. */
  rotations?: UnfinishedRotation[]
}

export interface ListDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'planes'>
  tunnels: Pick<BackgroundTunnels, 'list'>
  ui: Pick<Ui, 'note' | 'warn'>
}

export type DescribeDependencies = ListDependencies & Pick<AccessDependencies, 'openApi'>

export interface ListOptions extends Omit<PlaneSelector, 'name'> {
  /** Only planes whose labels meet these requirements; those of an unreadable plane are unknown. @default all planes */
  labels?: LabelRequirement[] | undefined
  /** How long a host cluster may take that no option names, in milliseconds. @default 5000 */
  hostPatienceMs?: number
}

/**
 * Returns every plane with its current status, by name. When the kubeconfig, or a driver that no option names, cannot be
 * read, vplane warns and lists the other planes.
 * @throws {VplaneError} why the planes that the options name cannot be listed.
 */
export async function listControlPlanes(
  { ui: plain, ...others }: ListDependencies,
  { hostPatienceMs = 5000, labels, ...selector }: ListOptions = {},
): Promise<ListedPlane[]> {
  const deps = { ...others, ui: oncePerReason(plain) }
  const drivers = candidatesOf(deps.drivers, selector)
  const isNamed = Object.values(selector).some((value) => value !== undefined)
  const connected = connectedPlanes(deps)
  const likelyNamespaces = async () => (await connected).flatMap(({ namespace }) => namespace ?? [])
  const scope = { namespace: selector.namespace, likelyNamespaces, ui: deps.ui }
  const isWanted = (plane: Plane | UnreadablePlane) =>
    labels === undefined || isLabelled(plane, labels)
  const options = { scope, isWanted }
  const [surroundings, ...lists] = await Promise.all([
    surroundingsOf(deps, connected),
    ...drivers.map((driver) =>
      isNamed
        ? listDriver(driver, options)
        : listOrWarn(driver, { ...options, ui: deps.ui, patienceMs: hostPatienceMs }),
    ),
  ])
  return lists
    .flat()
    .map(({ plane, status }) => ({ plane, status, ...surroundings.of(plane) }))
    .toSorted((left, right) => sortKey(left.plane).localeCompare(sortKey(right.plane)))
}

/** One plane with its status, unfinished rotations and events of the last hour; asks its API whether it is ready. */
export async function describeControlPlane(
  { ui: plain, ...others }: DescribeDependencies,
  { signal, ...selector }: PlaneSelector & { signal: AbortSignal },
): Promise<ListedPlane> {
  const deps = { ...others, ui: oncePerReason(plain) }
  const { driver, plane } = await findPlane(deps, selector)
  const [status, surroundings, rotations] = await Promise.all([
    statusOf(driver, plane, { events: true }),
    surroundingsOf(deps, connectedPlanes(deps)),
    rotationsOf(driver, plane),
  ])
  const { openApi } = deps
  const open = async (ready: Plane) => openApi(await driver.endpoint(ready, READ_ONLY))
  const isServed =
    status.phase !== 'Ready' ||
    !isReadable(plane) ||
    (await answersReady(() => open(plane), signal))
  return {
    plane,
    status: isServed ? status : { ...status, phase: 'NotReady', reason: SILENT },
    ...surroundings.of(plane),
    ...(rotations && { rotations }),
  }
}

async function rotationsOf(
  driver: Driver,
  plane: Plane | UnreadablePlane,
): Promise<UnfinishedRotation[] | undefined> {
  try {
    return isReadable(plane) ? await unfinishedRotations({ driver, plane }) : undefined
  } catch {
    // The keys do not exist yet, or not any more: the status says what is wrong.
    return undefined
  }
}

/** The probes of kube-apiserver succeed, so the network between this machine and the API may be broken. */
const SILENT = 'all components run, but from this machine the API does not report that it is ready'

async function statusOf(
  driver: Driver,
  plane: Plane | UnreadablePlane,
  options?: { events: boolean },
): Promise<PlaneStatus> {
  if (isReadable(plane)) {
    return driver.status(plane, options)
  }
  const { isKept = false, reason } = plane
  return isKept
    ? { phase: 'Kept', reason, hints: retainedDataHints(plane), components: [] }
    : { phase: 'Unreadable', reason, components: [] }
}

function connectedPlanes({
  contexts,
  ui,
}: Pick<ListDependencies, 'contexts' | 'ui'>): Promise<PlaneReference[]> {
  return elseWarn(contexts.planes(), 'which planes have a context', ui)
}

/** Leaves out what has the reason of an earlier line, behind its first colon: one invalid file hides several things. */
function oncePerReason(ui: ListDependencies['ui']): ListDependencies['ui'] {
  const reasons = new Set<string>()
  const isNew = (text: string) => {
    const reason = text.replace(/^.*?: /, '')
    const isKnown = reasons.has(reason)
    reasons.add(reason)
    return !isKnown
  }
  return {
    note: (text, hint) => isNew(text) && ui.note(text, hint),
    warn: (text, hint) => isNew(text) && ui.warn(text, hint),
  }
}

async function elseWarn<T>(list: Promise<T[]>, what: string, ui: Pick<Ui, 'warn'>): Promise<T[]> {
  try {
    return await list
  } catch (error) {
    ui.warn(`${what} is unknown: ${messageOf(error)}`)
    return []
  }
}

async function surroundingsOf(
  { tunnels, ui }: Pick<ListDependencies, 'tunnels' | 'ui'>,
  connecting: Promise<PlaneReference[]>,
) {
  const [connected, found] = await Promise.all([
    connecting,
    elseWarn(tunnels.list(), 'which planes have a tunnel', ui),
  ])
  return {
    of: (plane: PlaneReference): Pick<ListedPlane, 'isConnected' | 'tunnel'> => {
      const tunnel = found.find((one) => isSamePlane(one.plane, plane))
      const isConnected = connected.some((context) => isSamePlane(context, plane))
      return { isConnected, ...(tunnel === undefined ? {} : { tunnel }) }
    },
  }
}

interface DriverListOptions {
  scope: LookupScope
  isWanted: (plane: Plane | UnreadablePlane) => boolean
}

async function listOrWarn(
  driver: Driver,
  {
    isWanted,
    patienceMs,
    scope,
    ui,
  }: DriverListOptions & { ui: Pick<Ui, 'warn'>; patienceMs: number },
) {
  try {
    const listing = (signal?: AbortSignal) =>
      listDriver(driver, { scope: { ...scope, signal }, isWanted })
    return await (driver.name === 'local' ? listing() : within(patienceMs, listing))
  } catch (error) {
    ui.warn(`planes of the driver ${driver.name} cannot be listed: ${messageOf(error)}`)
    return []
  }
}

async function listDriver(driver: Driver, { isWanted, scope }: DriverListOptions) {
  const planes = (await driver.list(scope)).filter(isWanted)
  const listed = await Promise.all(planes.map((plane) => listPlane(driver, plane)))
  return listed.filter((one) => one !== undefined)
}

/** undefined when the plane was deleted after it was listed. */
async function listPlane(driver: Driver, plane: Plane | UnreadablePlane) {
  try {
    return { plane, status: await statusOf(driver, plane) }
  } catch (error) {
    if (isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')) {
      return undefined
    }
    const status: PlaneStatus = { phase: 'NotReady', reason: messageOf(error), components: [] }
    return { plane, status }
  }
}
