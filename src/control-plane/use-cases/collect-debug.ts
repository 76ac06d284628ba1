import { messageOf } from '../../shared/errors.ts'
import type { ArchivedFile } from '../../shared/tar.ts'
import type { Ui } from '../../shared/ui.ts'
import { formatYaml } from '../../shared/yaml.ts'
import type { Driver } from '../driver.ts'
import { ADMIN, componentsOf, type Plane, type PlaneReference, referenceOf } from '../plane.ts'
import type { PlaneApi } from '../plane-api.ts'
import type { AccessDependencies } from './access.ts'
import type { PlaneSelector } from './look-up.ts'
import { resolvePlane } from './resolve-plane.ts'

export interface DebugDependencies {
  drivers: readonly Driver[]
  openApi: AccessDependencies['openApi']
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
  /** What could not be had, in lines for people. */
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
 * Collects how a plane is: its status, spec, events and logs, what its driver keeps of it, and the health of its API. No
 * key, certificate or content of a Secret is among it. Changes nothing, and what cannot be had keeps nothing else from
 * being collected.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `resolvePlane` throws.
 */
export async function collectDebug(
  { drivers, openApi, ui }: DebugDependencies,
  { signal, tail, ...selector }: DebugOptions,
): Promise<DebugReport> {
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  const files: ArchivedFile[] = []
  const missing: string[] = []
  const attempt = async (what: string, collect: () => Promise<ArchivedFile[]>) => {
    ui.step(`Collecting ${what}`)
    try {
      files.push(...(await collect()))
    } catch (error) {
      signal.throwIfAborted()
      missing.push(`${what}: ${messageOf(error)}`)
    }
  }
  await attempt('the status', async () => [
    { path: 'plane.yaml', text: formatYaml(storedOf(plane)) },
    { path: 'status.json', text: toJson(await driver.status(plane, { events: true })) },
  ])
  await attempt('what the driver keeps', () => driver.debugFiles(plane, signal))
  for (const component of componentsOf(plane.spec)) {
    await attempt(`the log of ${component}`, async () => {
      const request = { component, follow: false, tail }
      const chunks = await Array.fromAsync(driver.logs(plane, request, signal))
      return [{ path: `logs/${component}.log`, text: chunks.join('') }]
    })
  }
  await attempt('the health of the API', async () => {
    const credential = await driver.issueCredential(plane, ADMIN, CREDENTIAL_MS)
    await using api = openApi({ ...(await driver.endpoint(plane)), ...credential })
    return await healthOf(api, signal)
  })
  if (missing.length > 0) {
    files.push({ path: 'missing.txt', text: `${missing.join('\n')}\n` })
  }
  return { plane: referenceOf(plane), files, missing }
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
