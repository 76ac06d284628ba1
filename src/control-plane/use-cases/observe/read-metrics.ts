import { messageOf } from '../../../shared/errors.ts'
import { timeLimit } from '../../../shared/wait.ts'
import type { Metric } from '../../../shared/text/format-metrics.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import { ADMIN, type AnyComponentName } from '../../plane/plane.ts'
import { lacking } from '../../store/store.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { toMetrics } from '../../status/to-metrics.ts'
import type { AccessDependencies } from '../access/access.ts'
import type { FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { measurePlane } from './measure-plane.ts'
import { refuseMissing } from './refuse-missing.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export type MetricsDependencies = Omit<AccessDependencies, 'accesses'> & FindDependencies

interface MetricsOptions extends PlaneSelector {
  signal: AbortSignal
}

/** How long a component may take to send its metrics, in milliseconds: kube-apiserver has megabytes of them. */
const METRICS_MS = 30_000

const CREDENTIAL_MS = 10 * 60 * 1000

/** Prometheus metrics of a plane and its components, with a warning for each that cannot be measured. */
export async function readMetrics(
  deps: MetricsDependencies,
  { signal, ...selector }: MetricsOptions,
): Promise<Metric[]> {
  const { driver, plane } = await resolvePlane(deps, selector)
  const onFailure = (what: string, error: unknown) =>
    deps.ui.warn(`${what} of "${plane.name}" cannot be measured: ${messageOf(error)}`)
  const figures = await measurePlane(deps, { driver, plane, signal, onFailure })
  return toMetrics({ plane: plane.name }, figures, deps.now())
}

/**
 * The metrics of one component in the text format of Prometheus, from a ready instance.
 * @throws {VplaneError} `USAGE` when the plane does not have the component, `FAILED` when it does not run or refuses,
 * `UNSUPPORTED` when its store has no metrics, `UNREACHABLE`, `TIMED_OUT`, and as `resolvePlane` does.
 */
export async function readComponentMetrics(
  deps: MetricsDependencies,
  { component, signal, ...selector }: MetricsOptions & { component: AnyComponentName },
): Promise<string> {
  const { driver, plane } = await resolvePlane(deps, selector)
  refuseMissing(plane, component, (other) => ({ action: 'metrics', plane, component: other }))
  if (component === 'kine') {
    throw lacking(plane, 'figures')
  }
  refuseWhilePaused(plane, 'measured')
  const limit = AbortSignal.any([signal, timeLimit(METRICS_MS, `${component} of "${plane.name}"`)])
  if (component !== 'kube-apiserver') {
    return driver.metrics.ofComponent(plane, component, limit)
  }
  await using api = await openAsAdmin(deps, { driver, plane })
  const pieces = await Array.fromAsync(api.stream('/metrics', { signal: limit }))
  return pieces.join('')
}

/** Opens the API of a running plane as its administrator. */
export async function openAsAdmin(
  { openApi }: MetricsDependencies,
  { driver, plane }: ResolvedPlane,
): Promise<PlaneApi> {
  const credential = await driver.issueCredential(plane, ADMIN, CREDENTIAL_MS)
  return openApi({ ...(await driver.endpoint(plane, READ_ONLY)), ...credential })
}
