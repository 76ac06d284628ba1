import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { EndpointOptions } from '../../driver/endpoint-options.ts'
import {
  ADMIN,
  COMPONENT_NAMES,
  type ClientCredential,
  type Endpoint,
  type Plane,
} from '../../plane/plane.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { CREDENTIAL_LIFETIME_MS, isDue } from './credential-lifetime.ts'
import { type ReadyOptions, waitUntilReady } from './wait-until-ready.ts'

/** All that a client needs to use a plane: where it is, whom to trust, and who it is itself. */
export interface Access extends Endpoint, ClientCredential {}

/** The way to a plane's API: without a credential it may be asked how it is, and nothing else. */
export interface ApiAccess extends Endpoint, Partial<ClientCredential> {}

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
  openApi: (way: ApiAccess) => PlaneApi
  ui: Ui
  now: () => Date
}

export interface AccessOptions {
  driver: Driver
  plane: Plane
  /** What the way in is for. @default one that lives as long as this process */
  way?: EndpointOptions
  /**
   * Whether the client uses the credential to its end, as it cannot ask for another one: it is nearly new then.
   *
   * @default false
   */
  isHeld?: boolean
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
  const open = kept && (await keptWay(kept, options))
  if (open !== undefined) {
    return open
  }
  if (kept === undefined) {
    await driver.start(plane, { ui: deps.ui, signal, timeoutMs })
  }
  // What serves the API is enough to use it.
  return waitForAccess(deps, { ...options, components: COMPONENT_NAMES })
}

/**
 * A way into a plane that was started, once it can be used.
 *
 * @throws {VplaneError} as `waitUntilReady` does.
 */
export async function waitForAccess(
  deps: AccessDependencies,
  { components, ...options }: AccessOptions & Pick<ReadyOptions, 'components'>,
): Promise<Access> {
  const { driver, plane, signal, timeoutMs } = options
  const access = await renewAccess(deps, options)
  await using api = deps.openApi(access)
  const meant = components === undefined ? {} : { components }
  await waitUntilReady({ driver, plane, api, ...meant, timeoutMs, signal })
  return access
}

/** `openAccess` for whoever does not wait: undefined when there is more to it than a look. */
export async function openQuickly(
  deps: AccessDependencies,
  options: Omit<AccessOptions, 'signal' | 'timeoutMs'>,
): Promise<Access | undefined> {
  const kept = await usableAccess(deps, options)
  return kept && (await keptWay(kept, options))
}

/** The kept access with the address of now; undefined when that has to be kept anew, or the plane is another. */
async function keptWay(
  kept: Access,
  { driver, plane, way }: Pick<AccessOptions, 'driver' | 'plane' | 'way'>,
): Promise<Access | undefined> {
  const endpoint = await endpointOf(driver, plane, { lasting: false, ...way, isServing: true })
  const isOfThisCa = endpoint.certificateAuthority === kept.certificateAuthority
  const isWhereItWas = endpoint.server === kept.server || !isKeptPlace(endpoint, way)
  return isOfThisCa && isWhereItWas ? { ...kept, ...endpoint } : undefined
}

/** The access that is kept, when the plane runs and is to run, and the credential is not due. */
async function usableAccess(
  { accesses, now }: AccessDependencies,
  { driver, isHeld, plane }: Pick<AccessOptions, 'driver' | 'isHeld' | 'plane'>,
): Promise<Access | undefined> {
  const kept = await accesses.read(plane)
  if (kept === undefined || isDue(kept, now(), isHeld) || plane.desired === 'paused') {
    return undefined
  }
  return (await driver.isRunning(plane)) ? kept : undefined
}

/**
 * Looks up where a plane is, and keeps that with a credential: the one it had, or a new one when that is due. A place
 * that only this process uses is not kept.
 */
export async function renewAccess(
  { accesses, now }: Pick<AccessDependencies, 'accesses' | 'now'>,
  { driver, isHeld, plane, way }: Pick<AccessOptions, 'driver' | 'isHeld' | 'plane' | 'way'>,
): Promise<Access> {
  const kept = await accesses.read(plane)
  const endpoint = await endpointOf(driver, plane, way)
  const isKept =
    kept !== undefined &&
    !isDue(kept, now(), isHeld) &&
    kept.certificateAuthority === endpoint.certificateAuthority
  const credential = isKept
    ? kept
    : await driver.issueCredential(plane, ADMIN, CREDENTIAL_LIFETIME_MS)
  const { certificate, expiresAt, key } = credential
  const { certificateAuthority, server } = endpoint
  const access = { server, certificateAuthority, certificate, key, expiresAt }
  const place = isKeptPlace(endpoint, way) ? server : (kept?.server ?? server)
  await accesses.write(plane, { ...access, server: place })
  return { ...access, ...endpoint }
}

/** Where a plane is; the user's own word wins over what the driver finds. */
async function endpointOf(
  driver: Driver,
  plane: Plane,
  way: EndpointOptions | undefined,
): Promise<Endpoint> {
  const endpoint = await driver.endpoint(plane, way)
  return way?.server === undefined
    ? endpoint
    : { certificateAuthority: endpoint.certificateAuthority, server: way.server }
}

/** Whether an address is the one of the plane's contexts: when that changes, they have to be told. */
function isKeptPlace(
  { isTransient = false }: Pick<Endpoint, 'isTransient'>,
  way: EndpointOptions | undefined,
): boolean {
  return !isTransient && way?.server === undefined
}
