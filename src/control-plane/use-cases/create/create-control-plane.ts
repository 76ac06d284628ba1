import { VplaneError } from '../../../shared/errors.ts'
import { checkArguments } from '../../components/check-arguments.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { parseName } from '../../plane/names.ts'
import type { Plane } from '../../plane/plane.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { resolveSpec } from '../../spec/resolve-spec.ts'
import { formatDifferences, specDifferences } from '../../changes/spec-diff.ts'
import type { UserSpec } from '../../spec/spec.ts'
import { installCrds } from '../../install/install-crds.ts'
import { type Access, type AccessDependencies, renewAccess } from '../access/access.ts'
import { waitUntilReady } from '../access/wait-until-ready.ts'

export interface CreateOptions {
  name: string
  userSpec: UserSpec
  driver: Driver
  host?: HostPlacement
  binDir?: string
  ownerProcessId?: number
  /** CustomResourceDefinitions that are established before the plane counts as ready. @default [] */
  crds?: readonly KubeObject[]
  /** Return when it can be used, not when it is made. */
  wait: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface CreateResult {
  plane: Plane
  /** False when a plane of this name and spec was there before. */
  isNew: boolean
  /** Only when it was waited for. */
  access?: Access
}

/**
 * Makes a control plane, or goes on with one of the same name and spec whose making was cut off.
 *
 * @throws {VplaneError} `INVALID_NAME`, `INVALID_SPEC` and `USAGE` before anything is touched, `CONTROL_PLANE_EXISTS`
 * when the name is taken by another spec, and what the driver, its `etcd.settle` and `waitUntilReady` throw.
 */
export async function createControlPlane(
  deps: AccessDependencies,
  options: CreateOptions,
): Promise<CreateResult> {
  const { driver, signal, timeoutMs, userSpec, wait } = options
  const name = parseName(options.name)
  const spec = resolveSpec(userSpec, driver.name)
  checkArguments(spec)
  const isNew = !(await isTaken(options))
  const plane = await driver.create({ ...options, name, spec }, { ui: deps.ui, signal, timeoutMs })
  // Somebody else may have made it between the look and the making.
  refuseOtherSpec(plane, userSpec)
  if (plane.desired === 'paused' || !wait) {
    return { plane, isNew }
  }
  const access = await renewAccess(deps, { driver, plane })
  await using api = deps.openApi(access)
  await waitUntilReady({ driver, plane, api, timeoutMs, signal, ui: deps.ui })
  await driver.etcd.settle(plane, { ui: deps.ui, signal, timeoutMs })
  const { crds = [] } = options
  if (crds.length > 0) {
    await installCrds({ api, ui: deps.ui }, { objects: crds, timeoutMs, signal })
  }
  return { plane, isNew, access }
}

/** Tells whether the name is taken by the same spec; refuses when it is by another. */
async function isTaken({ driver, host, name, userSpec }: CreateOptions): Promise<boolean> {
  const namespace = host?.namespace
  // Who may not look is told by the driver, together with all else that is in the way.
  const found = await driver.find(name, { namespace, isBlindFine: true })
  const existing = found.find((plane) => namespace === undefined || plane.namespace === namespace)
  if (existing === undefined) {
    return false
  }
  if (!isReadable(existing)) {
    if (existing.isKept === true) {
      return false
    }
    throw new VplaneError(
      'FAILED',
      `the stored state of "${name}" cannot be read: ${existing.reason}`,
      { hints: [{ action: 'delete', plane: existing }] },
    )
  }
  refuseOtherSpec(existing, userSpec)
  return true
}

/** What users said is compared, not what a vplane made of it: new defaults are no difference. */
function refuseOtherSpec(plane: Plane, wanted: UserSpec): void {
  const differences = specDifferences(plane.userSpec, wanted)
  if (differences.length > 0) {
    throw new VplaneError(
      'CONTROL_PLANE_EXISTS',
      `a control plane named "${plane.name}" exists with another spec:\n${formatDifferences(
        differences,
      )
        .map((line) => `  ${line}`)
        .join('\n')}`,
      {
        hints: ['choose another name', { purpose: 'or to make it again', action: 'delete', plane }],
      },
    )
  }
}
