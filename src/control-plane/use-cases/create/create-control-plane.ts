import { VplaneError } from '../../../shared/errors.ts'
import { checkArguments } from '../../components/check-arguments.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { parseName } from '../../plane/names.ts'
import type { Plane } from '../../plane/plane.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { within } from '../../../shared/wait.ts'
import { resolveSpec } from '../../spec/resolve-spec.ts'
import { formatDifferences, specDifferences } from '../../changes/spec-diff.ts'
import type { PlaneSpec, UserSpec } from '../../spec/spec.ts'
import { installCrds } from '../../install/install-crds.ts'
import { type Access, type AccessDependencies, renewAccess } from '../access/access.ts'
import { waitUntilReady } from '../access/wait-until-ready.ts'
import { unusable } from '../find/resolve-plane.ts'
import { declarePlane, type OpenDeclarations } from './declare-plane.ts'

/** How long an interrupted create may look for what it left. */
const FIND_MS = 2000

export interface CreateOptions {
  name: string
  userSpec: UserSpec
  driver: Driver
  /** The UID of the ControlPlane that declares it. @default none does */
  declaredBy?: string
  /** As in `CreateRequest`. @default false */
  startsInOrder?: boolean
  /** Declare it by a ControlPlane, and let an operator create it. @default vplane creates it */
  openOperators?: OpenDeclarations | undefined
  /** Create it paused. Without it, a plane that was created paused and never started is started. @default it runs */
  isPaused?: boolean | undefined
  host?: HostPlacement
  binDir?: string
  ownerProcessId?: number
  /** CustomResourceDefinitions that must be established before the plane is ready. @default [] */
  crds?: readonly KubeObject[]
  /** Return when the plane can be used, not when it is created. */
  wait: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface CreateResult {
  plane: Plane
  /** False when a plane of this name and spec existed before. */
  isNew: boolean
  /** Only with `wait`. */
  access?: Access
}

/**
 * Creates a control plane, or continues an interrupted create of the same name and spec.
 * @throws {VplaneError} `INVALID_NAME`, `INVALID_SPEC` and `USAGE` before anything is touched, `CONTROL_PLANE_EXISTS`
 * when the name is taken by another spec, and what the driver, its `etcd.settle` and `waitUntilReady` throw.
 */
export async function createControlPlane(
  deps: AccessDependencies,
  options: CreateOptions,
): Promise<CreateResult> {
  const { signal } = options
  const plan = await planCreate(options)
  try {
    return await make(deps, options, plan)
  } catch (error) {
    throw signal.aborted ? await unfinished(error, options, plan) : error
  }
}

/** The error of an interrupted create that left something, unless that existed before, or its owner removes it. */
async function unfinished(
  error: unknown,
  { driver, host, ownerProcessId }: CreateOptions,
  { existing, name, usesKeptData = false }: CreatePlan,
): Promise<unknown> {
  if (existing !== undefined || usesKeptData || ownerProcessId !== undefined) {
    return error
  }
  const namespace = host?.namespace
  const find = () => driver.find(name, { namespace, ignoresForbidden: true })
  try {
    if ((await within(FIND_MS, find)).length === 0) {
      return error
    }
  } catch {
    // The host may be the reason for the interruption.
    return error
  }
  return new VplaneError('ABORTED', `interrupted: "${name}" is not finished`, {
    hints: [{ purpose: 'to remove it', action: 'delete', plane: { name, namespace } }],
    cause: error,
  })
}

async function make(
  deps: AccessDependencies,
  options: CreateOptions,
  { existing, name, spec }: CreatePlan,
): Promise<CreateResult> {
  const { driver, isPaused = false, openOperators, signal, timeoutMs, userSpec, wait } = options
  const { ui } = deps
  const isNew = existing === undefined
  if (isPaused && existing?.desired === 'running') {
    const hint = { purpose: 'to pause it', action: 'pause', plane: existing } as const
    ui.note(`"${name}" is not paused, and stays as it is`, hint)
    return { plane: existing, isNew }
  }
  if (existing?.neverStarted === true && existing.declaredBy === undefined && !isPaused) {
    ui.note(`"${name}" was created paused and never started: it is started now`)
  }
  const plane = await (openOperators === undefined
    ? driver.create({ ...options, name, spec }, { ui, signal, timeoutMs })
    : declarePlane({ openOperators, ui }, { ...options, name }))
  // Someone else may have created it since the check.
  refuseOtherSpec(plane, userSpec)
  if (plane.desired === 'paused' || !wait) {
    return { plane, isNew }
  }
  const access = await renewAccess(deps, { driver, plane })
  await using api = deps.openApi(access)
  await waitUntilReady({ driver, plane, api, timeoutMs, signal, ui })
  await driver.etcd.settle(plane, { ui, signal, timeoutMs })
  const { crds = [] } = options
  if (crds.length > 0) {
    await installCrds({ api, ui }, { objects: crds, timeoutMs, signal })
  }
  return { plane, isNew, access }
}

export interface CreatePlan {
  name: string
  spec: PlaneSpec
  /** @default none exists */
  existing?: Plane
  /** The plane would get the data that a `delete --keep-data` left. @default false */
  usesKeptData?: boolean
}

/** Checks what `createControlPlane` checks at first, with the same errors, and changes nothing. */
export async function planCreate(
  options: Pick<
    CreateOptions,
    'declaredBy' | 'driver' | 'host' | 'name' | 'openOperators' | 'userSpec'
  >,
): Promise<CreatePlan> {
  return { ...resolveCreate(options), ...(await findExisting(options)) }
}

/** The name and the spec of a new plane. @throws {VplaneError} `INVALID_NAME` or `INVALID_SPEC` when one is not valid. */
export function resolveCreate({
  declaredBy,
  driver,
  openOperators,
  userSpec,
  ...options
}: Pick<CreateOptions, 'declaredBy' | 'driver' | 'name' | 'openOperators' | 'userSpec'>): Pick<
  CreatePlan,
  'name' | 'spec'
> {
  const name = parseName(options.name)
  const isDeclared = declaredBy !== undefined || openOperators !== undefined
  const spec = resolveSpec(userSpec, driver.name, { isDeclared })
  checkArguments(spec)
  return { name, spec }
}

/** What has the name already; refuses a plane of another spec. */
async function findExisting({
  driver,
  host,
  name,
  openOperators,
  userSpec,
}: Parameters<typeof planCreate>[0]): Promise<Pick<CreatePlan, 'existing' | 'usesKeptData'>> {
  const namespace = host?.namespace
  // The driver reports missing permissions, together with all else that prevents the create.
  const found = await driver.find(name, { namespace, ignoresForbidden: true })
  const existing = found.find((plane) => namespace === undefined || plane.namespace === namespace)
  if (existing === undefined) {
    return {}
  }
  if (!isReadable(existing)) {
    if (existing.isKept === true) {
      return { usesKeptData: true }
    }
    throw unusable(existing)
  }
  if (openOperators !== undefined && existing.declaredBy === undefined) {
    throw new VplaneError('CONTROL_PLANE_EXISTS', `"${name}" exists without a ControlPlane`, {
      hints: [{ purpose: 'to declare it', action: 'adopt', plane: existing }],
    })
  }
  refuseOtherSpec(existing, userSpec)
  return { existing }
}

/** Compares what users wrote, not the resolved spec: new defaults are no difference. */
function refuseOtherSpec(plane: Plane, wanted: UserSpec): void {
  const differences = formatDifferences(specDifferences(plane.userSpec, wanted))
  if (differences.length > 0) {
    const message = `a control plane named "${plane.name}" exists with another spec:`
    const lines = [message, ...differences.map((line) => `  ${line}`)]
    throw new VplaneError('CONTROL_PLANE_EXISTS', lines.join('\n'), {
      hints: ['choose another name', { purpose: 'or to create it again', action: 'delete', plane }],
    })
  }
}
