import { messageOf } from '../../../shared/errors.ts'
import { formatMetrics } from '../../../shared/text/format-metrics.ts'
import type { ArchivedFile } from '../../../shared/files/tar.ts'
import { withoutSecrets } from '../../../shared/text/without-secrets.ts'
import { formatYaml } from '../../../shared/yaml/yaml.ts'
import { componentsOf, type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { toMetrics } from '../../status/to-metrics.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { measurePlane } from './measure-plane.ts'
import { labelled } from './read-logs.ts'
import { type MetricsDependencies, openAsAdmin } from './read-metrics.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { repairSteps } from '../repair/repair-words.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'
import { canStore } from '../../store/store.ts'

export interface DebugOptions extends PlaneSelector {
  /** Lines from the end of each log. */
  tail: number
  signal: AbortSignal
}

/** What a person needs to find a fault of a plane. */
export interface DebugReport {
  plane: PlaneReference
  files: ArchivedFile[]
  /** What could not be collected and why, one per line; its file says the same. */
  missing: string[]
}

const API_PATHS = {
  'livez.txt': '/livez?verbose',
  'readyz.txt': '/readyz?verbose',
  'version.json': '/version',
}

/**
 * Collects the state of a plane: its status, spec, events, logs and metrics, what its driver stores, its faults, the
 * health of etcd and of its API, and when its certificates expire. Leaves out keys, certificates, contents of Secrets,
 * and tokens in logs. Changes nothing. The file of what cannot be collected says why.
 */
export async function collectDebug(
  deps: MetricsDependencies,
  { signal, tail, ...selector }: DebugOptions,
): Promise<DebugReport> {
  const resolved = await resolvePlane(deps, selector)
  const { driver, plane } = resolved
  const files: ArchivedFile[] = []
  const missing: string[] = []
  const attempt = async (
    what: string,
    path: string,
    collect: () => Promise<string | ArchivedFile[]>,
  ) => {
    deps.ui.step(`Collecting ${what}`)
    try {
      const collected = await collect()
      files.push(...(typeof collected === 'string' ? [{ path, text: collected }] : collected))
    } catch (error) {
      signal.throwIfAborted()
      const line = `${what}: ${messageOf(error)}`
      missing.push(line)
      files.push({ path, text: `not collected: ${line}\n` })
    }
  }
  files.push({ path: 'plane.yaml', text: formatYaml(storedOf(plane)) })
  await attempt('the status', 'status.json', async () =>
    toJson(await driver.status(plane, { events: true })),
  )
  await attempt('its faults', 'diagnosis.json', async () => {
    refuseWhilePaused(plane, 'diagnosed')
    const diagnosis = await driver.diagnose(plane, signal)
    return toJson({ ...diagnosis, steps: repairSteps(diagnosis.faults) })
  })
  if (canStore(plane.spec, 'figures')) {
    await attempt('the state of etcd', 'etcd.json', async () =>
      toJson(await driver.metrics.etcd(plane, signal)),
    )
  }
  await attempt('the metrics', 'metrics.txt', () => metricsOf(deps, resolved, signal))
  await attempt('the certificates', 'certificates.json', async () =>
    toJson(await driver.certificates.list(plane)),
  )
  await attempt('the records of the driver', 'driver.txt', () => driver.debugFiles(plane, signal))
  for (const component of componentsOf(plane.spec)) {
    await attempt(`the log of ${component}`, `logs/${component}.log`, async () => {
      const request = { component, follow: false, tail }
      const lines = driver.logs(plane, request, signal)
      return (await Array.fromAsync(lines, (some) => labelled(some))).join('')
    })
  }
  await attempt('the health of the API', 'api/livez.txt', async () => {
    await using api = await openAsAdmin(deps, resolved)
    return await healthOf(api, signal)
  })
  const clean = files.map(({ path, text }) => ({ path, text: withoutSecrets(text) }))
  return { plane: referenceOf(plane), files: clean, missing }
}

/** The figures of `vplane metrics`; comments say what could not be measured. */
async function metricsOf(
  { now, openApi }: MetricsDependencies,
  { driver, plane }: ResolvedPlane,
  signal: AbortSignal,
): Promise<string> {
  const comments: string[] = []
  const onFailure = (what: string, error: unknown) =>
    comments.push(`# not measured: ${what}: ${messageOf(error)}\n`)
  const figures = await measurePlane({ openApi }, { driver, plane, signal, onFailure })
  const metrics = toMetrics({ plane: plane.name }, figures, now())
  return [...comments, formatMetrics(metrics)].join('')
}

function storedOf({ createdAt, desired, id, spec, userSpec, writtenBy, ...plane }: Plane) {
  const state = { id, desired, createdAt: createdAt.toISOString(), writtenBy, userSpec, spec }
  return { ...referenceOf(plane), ...state }
}

async function healthOf(api: PlaneApi, signal: AbortSignal): Promise<ArchivedFile[]> {
  return await Promise.all(
    Object.entries(API_PATHS).map(async ([file, path]) => {
      const { body, status } = await api.text(path, { signal })
      return { path: `api/${file}`, text: status === 200 ? body : `status ${status}\n${body}` }
    }),
  )
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
