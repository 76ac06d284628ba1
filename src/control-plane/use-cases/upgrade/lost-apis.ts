import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { parseSample } from '../../../shared/text/format-metrics.ts'
import type { Driver } from '../../driver/driver.ts'
import { minorOf } from '../../spec/kubernetes-version.ts'
import { type LostVersion, lostVersions } from '../../spec/lost-versions.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import type { Plane } from '../../plane/plane.ts'
import { staleObjectLines } from '../../driver/etcd-operations.ts'
import { type AccessDependencies, renewAccess } from '../access/access.ts'

/** How long reading the metrics of kube-apiserver may take, in milliseconds; they may be megabytes. */
const METRICS_MS = 10_000

/** How long the search in etcd may take, in milliseconds; most planes have no such objects. */
const OBJECTS_MS = 30_000

const METRIC = 'apiserver_requested_deprecated_apis'

const FLAG = 'runtime-config'

interface Upgrade {
  driver: Driver
  plane: Plane
  version: string
  signal: AbortSignal
}

/**
 * Lists what an upgrade removes: APIs that the spec enables, APIs that clients have requested, and objects that etcd
 * has in versions that are not served any more. Also lists what cannot be checked.
 * @throws {VplaneError} `USAGE` when etcd has objects that the new version cannot read, or when that cannot be checked
 * before the upgrade begins, unless the user gives these objects up.
 */
export async function lostApis(
  deps: AccessDependencies,
  upgrade: Upgrade & { withoutStaleObjects: boolean },
): Promise<string[]> {
  const { plane, version, withoutStaleObjects } = upgrade
  const lost = lostVersions(plane.spec.upgradingFrom ?? plane.spec.version, version)
  const refuse = (message: string, hints: readonly Hint[]) => {
    if (lost.length > 0 && !withoutStaleObjects) {
      throw new VplaneError('USAGE', message, {
        hints: [...hints, { purpose: 'to continue without them', withoutStaleObjects: true }],
      })
    }
  }
  const stale = await readOrReason(upgrade, {
    ms: OBJECTS_MS,
    read: (signal) => upgrade.driver.etcd.staleObjects(plane, lost, signal),
  })
  if (typeof stale !== 'string') {
    const builtIn = stale.filter(({ isCustom }) => !isCustom)
    if (builtIn.length > 0) {
      const [, ...lines] = staleObjectLines(builtIn, version)
      const message = `etcd of "${plane.name}" has objects that Kubernetes ${version} cannot read`
      refuse(
        message,
        lines.map((line) => line.trim()),
      )
    }
  } else if (plane.spec.upgradingFrom === undefined) {
    refuse(`cannot check whether "${plane.name}" would lose objects: ${stale}`, [
      { action: 'describe', plane: { name: plane.name } },
    ])
  }
  const requested = await readOrReason(upgrade, {
    ms: METRICS_MS,
    read: (signal) => requestedApis(deps, { ...upgrade, signal }),
  })
  return [
    ...lostSettingLines(plane.spec, lost, version),
    ...(typeof requested === 'string'
      ? [`Cannot check whether clients use APIs that are removed: ${requested}`]
      : requested),
    ...(typeof stale === 'string'
      ? [`Cannot check whether etcd has objects in versions that are removed: ${stale}`]
      : staleObjectLines(stale, version)),
  ]
}

async function readOrReason<T>(
  { signal }: Pick<Upgrade, 'signal'>,
  { ms, read }: { read: (signal: AbortSignal) => Promise<T[]>; ms: number },
): Promise<T[] | string> {
  try {
    return await read(AbortSignal.any([signal, AbortSignal.timeout(ms)]))
  } catch (error) {
    signal.throwIfAborted()
    return messageOf(error)
  }
}

async function requestedApis(
  deps: AccessDependencies,
  { driver, plane, signal, version }: Upgrade,
): Promise<string[]> {
  await using api = deps.openApi(await renewAccess(deps, { driver, plane }))
  const pieces = await Array.fromAsync(api.stream('/metrics', { signal }))
  const removed = removedApis(pieces.join(''), version)
  return removed.length === 0
    ? []
    : [
        `Clients have requested APIs that Kubernetes ${version} does not serve:`,
        ...removed.map((one) => `  ${one}`),
      ]
}

/**
 * Lists APIs in the `metrics` of kube-apiserver that clients have requested since its start, and that `version` does
 * not serve: `flowschemas of flowcontrol.apiserver.k8s.io/v1beta3, removed in 1.32`. It reports the release that
 * removes an API: Kubernetes, "Metrics reference", `apiserver_requested_deprecated_apis`, a stable metric.
 */
export function removedApis(metrics: string, version: string): string[] {
  const found = metrics
    .split('\n')
    .filter((line) => line.startsWith(`${METRIC}{`))
    .map((line) => parseSample(line).labels)
    .filter(({ removed_release: release = '' }) => isRemoved(release, version))
    .map(
      ({ group, resource, subresource, version: of, removed_release: release }) =>
        `${[resource, subresource].filter(Boolean).join('/')} of ${[group, of].filter(Boolean).join('/')}, removed in ${release}`,
    )
  return [...new Set(found)].toSorted()
}

function isRemoved(release: string, version: string): boolean {
  return /^1\.\d+$/.test(release) && minorOf(release) <= minorOf(version)
}

/**
 * Lists the API versions that a spec enables with `runtime-config` and that an upgrade to `version` removes.
 * kube-apiserver serves the rest where it still knows the version, such as autoscaling/v2beta2, and does not start
 * where it does not ("group version storagemigration.k8s.io/v1alpha1 that has not been registered", 1.35).
 */
export function lostSettingLines(
  { apiServer }: Pick<PlaneSpec, 'apiServer'>,
  lost: readonly LostVersion[],
  version: string,
): string[] {
  const settings = [apiServer.extraArgs[FLAG] ?? []].flat().flatMap((value) => value.split(','))
  const found = settings
    .filter((setting) => !setting.endsWith('=false'))
    .flatMap((setting) => {
      const gone = lost.filter((one) => isNamed(setting.split('=')[0] ?? '', one))
      const resources = gone.map(({ resource }) => resource).join(', ')
      return gone.length === 0 ? [] : [`  ${setting}: no ${resources} of that version`]
    })
  return found.length === 0
    ? []
    : [
        `apiServer.extraArgs.${FLAG} enables APIs that Kubernetes ${version} does not serve, and may not start with:`,
        ...found,
      ]
}

/** A setting names a version of a group, or one resource of it: `scheduling.k8s.io/v1alpha1/workloads`. */
function isNamed(name: string, { apiVersion, resource }: LostVersion): boolean {
  return [apiVersion, `${apiVersion}/${resource}`].includes(name)
}
