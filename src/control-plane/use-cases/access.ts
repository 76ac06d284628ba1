import type { Ui } from '../../shared/ui.ts'
import type { Driver } from '../driver.ts'
import { ADMIN, type ClientCredential, type Endpoint, type Plane } from '../plane.ts'
import type { PlaneApi } from '../plane-api.ts'
import { CREDENTIAL_LIFETIME_MS, isDue } from './credential-lifetime.ts'
import { waitUntilReady } from './wait-until-ready.ts'

/** All that a client needs to use a plane: where it is, whom to trust, and who it is itself. */
export interface Access extends Endpoint, ClientCredential {}

/** Keeps accesses between two commands, readable by their owner alone. */
export interface AccessStore {
  /** The access kept for a plane; undefined when there is none or it is damaged. */
  read(plane: Plane): Promise<Access | undefined>
  write(plane: Plane, access: Access): Promise<void>
  /** Forgets a plane's access. */
  remove(plane: Pick<Plane, 'name' | 'driver' | 'namespace' | 'hostContext'>): Promise<void>
}

export interface AccessDependencies {
  accesses: AccessStore
  openApi: (access: Access) => PlaneApi
  ui: Ui
  now: () => Date
}

export interface AccessOptions {
  driver: Driver
  plane: Plane
  timeoutMs: number
  signal: AbortSignal
}

/**
 * A way into a plane that works now: a plane that rests is started, and its API is waited for.
 *
 * A plane that runs costs no more than a look at its processes and its port, and gets the credential it had, since
 * clients drop their connections when theirs changes.
 *
 * @throws {VplaneError} as `waitUntilReady` does.
 */
export async function openAccess(
  deps: AccessDependencies,
  options: AccessOptions,
): Promise<Access> {
  const { driver, plane, signal, timeoutMs } = options
  const kept = await usableAccess(deps, options)
  if (kept !== undefined) {
    return kept
  }
  await driver.start(plane, { ui: deps.ui, signal, timeoutMs })
  const access = await renewAccess(deps, { driver, plane })
  await using api = deps.openApi(access)
  await waitUntilReady({ driver, plane, api, timeoutMs, signal })
  return access
}

/** The access that is kept, when the plane runs and is to run, is where it was, and the credential is not due. */
async function usableAccess(
  { accesses, now }: AccessDependencies,
  { driver, plane }: AccessOptions,
): Promise<Access | undefined> {
  const kept = await accesses.read(plane)
  if (kept === undefined || isDue(kept, now()) || plane.desired === 'paused') {
    return undefined
  }
  const isThere =
    (await driver.isRunning(plane)) && (await driver.endpoint(plane)).server === kept.server
  return isThere ? kept : undefined
}

/** Looks up where a plane is and keeps that with a credential: the one it had, or a new one when that is due. */
export async function renewAccess(
  { accesses, now }: Pick<AccessDependencies, 'accesses' | 'now'>,
  { driver, plane }: Pick<AccessOptions, 'driver' | 'plane'>,
): Promise<Access> {
  const kept = await accesses.read(plane)
  const endpoint = await driver.endpoint(plane)
  const isKept =
    kept !== undefined &&
    !isDue(kept, now()) &&
    kept.certificateAuthority === endpoint.certificateAuthority
  const credential = isKept
    ? kept
    : await driver.issueCredential(plane, ADMIN, CREDENTIAL_LIFETIME_MS)
  const { certificate, expiresAt, key } = credential
  const access = { ...endpoint, certificate, key, expiresAt }
  await accesses.write(plane, access)
  return access
}
