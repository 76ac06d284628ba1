import { messageOf } from '../../../shared/errors.ts'
import { formatMetrics } from '../../../shared/text/format-metrics.ts'
import type { ArchivedFile } from '../../../shared/files/tar.ts'
import type { Ui } from '../../../shared/ui.ts'
import { withoutSecrets } from '../../../shared/text/without-secrets.ts'
import { formatYaml } from '../../../shared/yaml/yaml.ts'
import type { Driver } from '../../driver/driver.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import {
  ADMIN,
  componentsOf,
  type Plane,
  type PlaneReference,
  referenceOf,
} from '../../plane/plane.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { toMetrics } from '../../status/to-metrics.ts'
import type { AccessDependencies } from '../access/access.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { measurePlane } from './measure-plane.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { repairSteps } from '../repair/repair-words.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export interface DebugDependencies extends Pick<AccessDependencies, 'openApi' | 'now'> {
  drivers: readonly Driver[]
  ui: Ui
}

export interface DebugOptions extends PlaneSelector {
  /** Lines from the end of each log. */
  tail: number
  signal: AbortSignal
}

/** What somebody needs who is to find out what is wrong with a plane. */
export interface DebugReport {
  plane: PlaneReference
  files: ArchivedFile[]
  /** What could not be had and why, in lines for people; the file that it was to be in says so too. */
  missing: string[]
}

const CREDENTIAL_MS = 10 * 60 * 1000

/** What the API says of its own health. */
const API_PATHS = {
  'livez.txt': '/livez?verbose',
  'readyz.txt': '/readyz?verbose',
  'version.json': '/version',
}

/**
 * Collects how a plane is: its status, spec, events and logs, what its driver keeps of it, what is wrong with it, how etcd
 * and its API are, its metrics, and when its certificates end. No key, certificate or content of a Secret is among it,
 * and no token that somebody wrote into a log. Changes nothing. What cannot be had says why in its file, and keeps nothing
 * else from being collected.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `resolvePlane` throws.
 */
export async function collectDebug(
  deps: DebugDependencies,
  { signal, tail, ...selector }: DebugOptions,
): Promise<DebugReport> {
  const { openApi, ui } = deps
  const resolved = await resolvePlane(deps, selector)
  const { driver, plane } = resolved
  const files: ArchivedFile[] = []
  const missing: string[] = []
  const attempt = async (
    what: string,
    path: string,
    collect: () => Promise<string | ArchivedFile[]>,
  ) => {
    ui.step(`Collecting ${what}`)
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
  await attempt('what is wrong', 'diagnosis.json', async () => {
    refuseWhilePaused(plane, 'diagnosed')
    const diagnosis = await driver.diagnose(plane, signal)
    return toJson({ ...diagnosis, steps: repairSteps(diagnosis.faults) })
  })
  await attempt('how etcd is', 'etcd.json', async () =>
    toJson(await driver.metrics.etcd(plane, signal)),
  )
  await attempt('the metrics', 'metrics.txt', () => metricsOf(deps, resolved, signal))
  await attempt('the certificates', 'certificates.json', async () =>
    toJson(await driver.certificates.list(plane)),
  )
  await attempt('what the driver keeps', 'driver.txt', () => driver.debugFiles(plane, signal))
  for (const component of componentsOf(plane.spec)) {
    await attempt(`the log of ${component}`, `logs/${component}.log`, async () => {
      const request = { component, follow: false, tail }
      const chunks = await Array.fromAsync(driver.logs(plane, request, signal))
      return chunks.join('')
    })
  }
  await attempt('the health of the API', 'api/livez.txt', async () => {
    const credential = await driver.issueCredential(plane, ADMIN, CREDENTIAL_MS)
    await using api = openApi({ ...(await driver.endpoint(plane, READ_ONLY)), ...credential })
    return await healthOf(api, signal)
  })
  const clean = files.map(({ path, text }) => ({ path, text: withoutSecrets(text) }))
  return { plane: referenceOf(plane), files: clean, missing }
}

/** What `metrics` says; a comment says what cannot be measured. */
async function metricsOf(
  { now, openApi }: DebugDependencies,
  { driver, plane }: ResolvedPlane,
  signal: AbortSignal,
): Promise<string> {
  const comments: string[] = []
  const onFailure = (what: string, error: unknown) =>
    comments.push(`# not measured: ${what}: ${messageOf(error)}\n`)
  const figures = await measurePlane({ openApi }, { driver, plane, signal, onFailure })
  return [...comments, formatMetrics(toMetrics(plane.name, figures, now()))].join('')
}

function storedOf({ createdAt, desired, id, spec, userSpec, writtenBy, ...plane }: Plane) {
  const reference = referenceOf(plane)
  return {
    ...reference,
    id,
    desired,
    createdAt: createdAt.toISOString(),
    writtenBy,
    userSpec,
    spec,
  }
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
