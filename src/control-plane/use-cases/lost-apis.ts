import { messageOf } from '../../shared/errors.ts'
import type { Driver } from '../driver.ts'
import { lostSettingLines } from '../lost-settings.ts'
import { type LostVersion, lostVersions } from '../lost-versions.ts'
import type { Plane } from '../plane.ts'
import { removedApis } from '../removed-apis.ts'
import { staleObjectLines } from '../stale-objects.ts'
import { type AccessDependencies, renewAccess } from './access.ts'

/** How long the metrics of a kube-apiserver are waited for, in milliseconds; its answer takes a fraction of a second. */
const METRICS_MS = 10_000

/** How long etcd is looked through, in milliseconds; most planes hold nothing of what is looked for. */
const OBJECTS_MS = 30_000

interface Upgrade {
  driver: Driver
  plane: Plane
  /** The one that it is to have. */
  version: string
  signal: AbortSignal
}

/**
 * What an upgrade takes away, as people read it: APIs that the spec switches on, that clients of a plane have asked for,
 * and objects that etcd holds in versions that are not served. It never fails: what cannot be told is said.
 */
export async function lostApis(deps: AccessDependencies, upgrade: Upgrade): Promise<string[]> {
  const { plane, version } = upgrade
  const lost = lostVersions(plane.spec.upgradingFrom ?? plane.spec.version, version)
  return [
    ...lostSettingLines(plane.spec, lost, version),
    ...(await unless(upgrade, {
      ms: METRICS_MS,
      look: (signal) => askedApis(deps, { ...upgrade, signal }),
      otherwise: 'Whether clients of it use an API that goes away',
    })),
    ...(await unless(upgrade, {
      ms: OBJECTS_MS,
      look: (signal) => staleObjects({ ...upgrade, lost, signal }),
      otherwise: 'Whether etcd holds objects in versions that go away',
    })),
  ]
}

async function askedApis(
  deps: AccessDependencies,
  { driver, plane, signal, version }: Upgrade,
): Promise<string[]> {
  await using api = deps.openApi(await renewAccess(deps, { driver, plane }))
  const { body } = await api.text('/metrics', { signal })
  const removed = removedApis(body, version)
  return removed.length === 0
    ? []
    : [
        `Clients of it have asked for what Kubernetes ${version} does not have:`,
        ...removed.map((one) => `  ${one}`),
      ]
}

async function staleObjects({
  driver,
  lost,
  plane,
  signal,
  version,
}: Upgrade & { lost: readonly LostVersion[] }): Promise<string[]> {
  return staleObjectLines(await driver.etcd.staleObjects(plane, lost, signal), version)
}

/** What a look finds, or why it cannot be told. */
async function unless(
  { signal }: Pick<Upgrade, 'signal'>,
  {
    look,
    ms,
    otherwise,
  }: { look: (signal: AbortSignal) => Promise<string[]>; ms: number; otherwise: string },
): Promise<string[]> {
  try {
    return await look(AbortSignal.any([signal, AbortSignal.timeout(ms)]))
  } catch (error) {
    signal.throwIfAborted()
    return [`${otherwise} cannot be told: ${messageOf(error)}`]
  }
}
