import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { parseSample } from '../../../shared/text/parse-sample.ts'
import type { Driver } from '../../driver/driver.ts'
import { lostSettingLines } from './lost-settings.ts'
import { minorOf } from '../../spec/kubernetes-version.ts'
import { lostVersions } from '../../spec/lost-versions.ts'
import type { Plane } from '../../plane/plane.ts'
import { staleObjectLines } from '../../driver/stale-objects.ts'
import { type AccessDependencies, renewAccess } from '../access/access.ts'

/** How long the metrics of a kube-apiserver are waited for, in milliseconds; they may be megabytes. */
const METRICS_MS = 10_000

/** How long etcd is looked through, in milliseconds; most planes hold nothing of what is looked for. */
const OBJECTS_MS = 30_000

const METRIC = 'apiserver_requested_deprecated_apis'

interface Upgrade {
  driver: Driver
  plane: Plane
  /** The one that it is to have. */
  version: string
  signal: AbortSignal
}

/**
 * What an upgrade takes away, as people read it: APIs that the spec switches on, that clients of a plane have asked for,
 * and objects that etcd holds in versions that are not served. What cannot be told is said.
 *
 * @throws {VplaneError} `USAGE` when etcd holds objects that the new version cannot read, or that cannot be told before
 * the upgrade begins, unless it may go on without them.
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
  const stale = await unless(upgrade, {
    ms: OBJECTS_MS,
    look: (signal) => upgrade.driver.etcd.staleObjects(plane, lost, signal),
  })
  if (typeof stale !== 'string') {
    const builtIn = stale.filter(({ isCustom }) => !isCustom)
    if (builtIn.length > 0) {
      const [, ...lines] = staleObjectLines(builtIn, version)
      const message = `etcd of "${plane.name}" holds objects that Kubernetes ${version} cannot read`
      refuse(
        message,
        lines.map((line) => line.trim()),
      )
    }
  } else if (plane.spec.upgradingFrom === undefined) {
    refuse(`whether "${plane.name}" would lose objects cannot be told: ${stale}`, [
      { action: 'describe', plane: { name: plane.name } },
    ])
  }
  const asked = await unless(upgrade, {
    ms: METRICS_MS,
    look: (signal) => askedApis(deps, { ...upgrade, signal }),
  })
  return [
    ...lostSettingLines(plane.spec, lost, version),
    ...(typeof asked === 'string'
      ? [`Whether clients of it use an API that goes away cannot be told: ${asked}`]
      : asked),
    ...(typeof stale === 'string'
      ? [`Whether etcd holds objects in versions that go away cannot be told: ${stale}`]
      : staleObjectLines(stale, version)),
  ]
}

/** What a look finds, or in words why it cannot be told. */
async function unless<T>(
  { signal }: Pick<Upgrade, 'signal'>,
  { look, ms }: { look: (signal: AbortSignal) => Promise<T[]>; ms: number },
): Promise<T[] | string> {
  try {
    return await look(AbortSignal.any([signal, AbortSignal.timeout(ms)]))
  } catch (error) {
    signal.throwIfAborted()
    return messageOf(error)
  }
}

async function askedApis(
  deps: AccessDependencies,
  { driver, plane, signal, version }: Upgrade,
): Promise<string[]> {
  await using api = deps.openApi(await renewAccess(deps, { driver, plane }))
  const pieces = await Array.fromAsync(api.stream('/metrics', { signal }))
  const removed = removedApis(pieces.join(''), version)
  return removed.length === 0
    ? []
    : [
        `Clients of it have asked for what Kubernetes ${version} does not have:`,
        ...removed.map((one) => `  ${one}`),
      ]
}

/**
 * The APIs that somebody has asked a kube-apiserver for since it started, and that a later version no longer has:
 * `flowschemas.flowcontrol.apiserver.k8s.io/v1beta3, which is gone from 1.32 on`.
 *
 * kube-apiserver itself says with which release an API goes away: Kubernetes, "Metrics reference",
 * `apiserver_requested_deprecated_apis`, a stable metric.
 *
 * @param metrics what kube-apiserver says at /metrics
 * @param version the later one, such as `1.36.3`
 */
export function removedApis(metrics: string, version: string): string[] {
  const found = metrics
    .split('\n')
    .filter((line) => line.startsWith(`${METRIC}{`))
    .map((line) => parseSample(line).labels)
    .filter(({ removed_release: release = '' }) => isGone(release, version))
    .map(
      ({ group, resource, subresource, version: of, removed_release: release }) =>
        `${[resource, subresource].filter(Boolean).join('/')} of ${[group, of].filter(Boolean).join('/')}, which is gone from ${release} on`,
    )
  return [...new Set(found)].toSorted()
}

function isGone(release: string, version: string): boolean {
  return /^1\.\d+$/.test(release) && minorOf(release) <= minorOf(version)
}
