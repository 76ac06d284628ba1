import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { EndpointOptions } from '../../driver/endpoint-options.ts'
import {
  isExposed,
  isPausedByDeclaration,
  ADMIN,
  type ClientCredential,
  type Endpoint,
  type Plane,
  type PlaneReference,
  servingOf,
} from '../../plane/plane.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { wasReady } from '../../api/readiness.ts'
import { CREDENTIAL_LIFETIME_MS, isDue } from './credential-lifetime.ts'
import { type ReadyOptions, waitUntilReady } from './wait-until-ready.ts'

/** What a client needs to use a plane: its address, the CA to trust, and a credential. */
export interface Access extends Endpoint, ClientCredential {}

/** What a client needs to reach a plane's API; without a credential it can only ask for its health. */
export interface ApiAccess extends Endpoint, Partial<ClientCredential> {}

/** Stores accesses between commands, readable by their owner alone. */
export interface AccessStore {
  /** Returns the stored access to a plane; undefined when none is stored or it is damaged. */
  read(plane: Plane): Promise<Access | undefined>
  write(plane: Plane, access: Access): Promise<void>
  remove(plane: PlaneReference): Promise<void>
}

export interface AccessDependencies {
  accesses: AccessStore
  openApi: (access: ApiAccess) => PlaneApi
  ui: Ui
  now: () => Date
}

export interface AccessOptions {
  driver: Driver
  plane: Plane
  /** How to reach the API. @default at an address that may end with this process */
  endpointOptions?: EndpointOptions
  /** Whether the client uses the credential until it expires: it is nearly new then. @default false */
  isHeld?: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Returns an access to a plane that works now: starts a paused plane, and waits for its API. For a running plane it
 * checks only its processes and its port, and returns the stored credential, since clients drop their connections when
 * their credential changes.
 */
export async function openAccess(
  deps: AccessDependencies,
  options: AccessOptions,
): Promise<Access> {
  const { driver, plane, signal, timeoutMs } = options
  const stored = await usableAccess(deps, options)
  const current = stored && (await withCurrentEndpoint(stored, options))
  if (current !== undefined) {
    return current
  }
  if (stored === undefined) {
    refuseDeclaredPause(plane)
    await driver.start(plane, { ui: deps.ui, signal, timeoutMs })
  }
  // The API can be used before the other components are ready.
  return waitForAccess(deps, {
    ...options,
    components: servingOf(plane.spec),
    isRestart: wasReady(plane),
  })
}

/** Access to a started plane, once it is ready. @throws {VplaneError} as `waitUntilReady` does. */
export async function waitForAccess(
  deps: AccessDependencies,
  {
    components,
    isRestart,
    ...options
  }: AccessOptions & Pick<ReadyOptions, 'components' | 'isRestart'>,
): Promise<Access> {
  const { driver, endpointOptions, plane, signal, timeoutMs } = options
  const { lasting = false, server } = endpointOptions ?? {}
  // No client gets through an exposed address before the API serves: until then vplane uses another way.
  const isLater = lasting && server === undefined && isExposed(plane)
  const access = await renewAccess(deps, isLater ? { driver, plane } : options)
  await using api = deps.openApi(access)
  await waitUntilReady({ driver, plane, api, components, isRestart, timeoutMs, signal })
  return isLater ? await renewAccess(deps, options) : access
}

/** @throws {VplaneError} `FAILED` for a plane that is declared as paused. */
function refuseDeclaredPause(plane: Plane): void {
  if (isPausedByDeclaration(plane)) {
    const { name } = plane
    throw new VplaneError('FAILED', `"${name}" is paused by its ControlPlane`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}

/** Returns the stored access like `openAccess`; undefined when the plane must be started or waited for. */
export async function openQuickly(
  deps: AccessDependencies,
  options: Omit<AccessOptions, 'signal' | 'timeoutMs'>,
): Promise<Access | undefined> {
  const stored = await usableAccess(deps, options)
  return stored && (await withCurrentEndpoint(stored, options))
}

/** undefined when the current address must be stored, or the CA belongs to another plane. */
async function withCurrentEndpoint(
  stored: Access,
  { driver, endpointOptions, plane }: Pick<AccessOptions, 'driver' | 'endpointOptions' | 'plane'>,
): Promise<Access | undefined> {
  const options = { lasting: false, ...endpointOptions, isServing: true }
  const endpoint = await endpointOf(driver, plane, options)
  const isOfThisCa = endpoint.certificateAuthority === stored.certificateAuthority
  const isUnchanged = endpoint.server === stored.server || !isContextAddress(endpoint, options)
  return isOfThisCa && isUnchanged ? { ...stored, ...endpoint } : undefined
}

/** The stored access, when the plane runs, is not to be paused, and the credential is not due. */
async function usableAccess(
  { accesses, now }: AccessDependencies,
  { driver, isHeld, plane }: Pick<AccessOptions, 'driver' | 'isHeld' | 'plane'>,
): Promise<Access | undefined> {
  const stored = await accesses.read(plane)
  if (stored === undefined || isDue(stored, now(), isHeld) || plane.desired === 'paused') {
    return undefined
  }
  return (await driver.isRunning(plane)) ? stored : undefined
}

/**
 * Finds the address of a plane and stores it, unless only this process uses it, with the stored credential, or a new
 * one when that is due.
 */
export async function renewAccess(
  { accesses, now }: Pick<AccessDependencies, 'accesses' | 'now'>,
  { driver, endpointOptions, isHeld, plane }: Omit<AccessOptions, 'signal' | 'timeoutMs'>,
): Promise<Access> {
  const stored = await accesses.read(plane)
  const endpoint = await endpointOf(driver, plane, endpointOptions)
  const { certificateAuthority, server } = endpoint
  const isUsable =
    stored !== undefined &&
    !isDue(stored, now(), isHeld) &&
    stored.certificateAuthority === certificateAuthority
  const { certificate, expiresAt, key } = isUsable
    ? stored
    : await driver.issueCredential(plane, ADMIN, CREDENTIAL_LIFETIME_MS)
  const access = { server, certificateAuthority, certificate, key, expiresAt }
  const address = isContextAddress(endpoint, endpointOptions) ? server : (stored?.server ?? server)
  await accesses.write(plane, { ...access, server: address })
  return { ...access, ...endpoint }
}

/** The address that the user gave wins over the one that the driver finds. */
async function endpointOf(
  driver: Driver,
  plane: Plane,
  options: EndpointOptions | undefined,
): Promise<Endpoint> {
  const endpoint = await driver.endpoint(plane, options)
  return options?.server === undefined
    ? endpoint
    : { certificateAuthority: endpoint.certificateAuthority, server: options.server }
}

/** Whether contexts of the plane use this address: when it changes, they must be updated. */
function isContextAddress(
  { isTransient = false }: Pick<Endpoint, 'isTransient'>,
  options: EndpointOptions | undefined,
): boolean {
  return !isTransient && options?.server === undefined
}
