import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { EndpointOptions } from '../../driver/endpoint-options.ts'
import { type PlaneReference, referenceOf } from '../../plane/plane.ts'
import { type Access, type AccessDependencies, openAccess } from '../access/access.ts'
import type { Contexts, ContextUser, NewContext, WrittenContext } from '../access/contexts.ts'
import { type GrantDependencies, type GrantRequest, grantAccess } from './grant-access.ts'
import type { ChangeDependencies } from '../change/change-control-plane.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export interface ConnectDependencies extends ChangeDependencies {
  contexts: Contexts
}

export interface AccessToOptions {
  /** @default at an address that may end with this process */
  endpointOptions?: EndpointOptions
  /** @default the administrator */
  grant?: GrantRequest | undefined
  /** Whether the client uses the credential until it expires. @default false */
  isHeld?: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface ContextOptions extends AccessToOptions {
  /** Write a certificate into the kubeconfig instead of naming the credential plugin. */
  embedCredentials: boolean
  /** @default true */
  makeCurrent?: boolean
}

export interface ConnectOptions extends ContextOptions, PlaneSelector {}

export interface OpenedPlane extends ResolvedPlane {
  /** The administrator's. */
  access: Access
  user: ContextUser
}

export interface ConnectResult extends WrittenContext {
  plane: PlaneReference
  server: string
}

/** Starts a paused plane, and writes its context to the kubeconfig. @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`. */
export async function connectControlPlane(
  deps: ConnectDependencies,
  options: ConnectOptions,
): Promise<ConnectResult> {
  // A kubeconfig that cannot be read is the error before a plane is searched and started for it.
  await deps.contexts.planes()
  return connectPlane(deps, await resolvePlane(deps, options), options)
}

/** `connectControlPlane` for a plane that was found before. */
export async function connectPlane(
  deps: ConnectDependencies,
  found: ResolvedPlane,
  options: ContextOptions,
): Promise<ConnectResult> {
  const { makeCurrent = true, signal } = options
  const context = await contextOf(deps, found, options)
  const written = await deps.contexts.add({ ...context, makeCurrent }, signal)
  return { ...written, plane: referenceOf(found.plane), server: context.endpoint.server }
}

/** A kubeconfig for one plane alone. @throws {VplaneError} as `connectControlPlane` does. */
export async function renderControlPlaneKubeconfig(
  deps: ConnectDependencies,
  options: ConnectOptions,
): Promise<{ kubeconfig: string; server: string }> {
  const found = await resolvePlane(deps, options)
  const context = await contextOf(deps, found, options)
  if (!options.embedCredentials) {
    await deps.contexts.writePlugin()
  }
  return { kubeconfig: deps.contexts.render(context), server: context.endpoint.server }
}

/** @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and as `openAccess` and `grantAccess` do. */
export async function openAccessTo(
  deps: ChangeDependencies,
  options: AccessToOptions & PlaneSelector,
): Promise<OpenedPlane> {
  return openFound(deps, await resolvePlane(deps, options), options)
}

async function openFound(
  deps: AccessDependencies,
  found: ResolvedPlane,
  { grant, ...options }: AccessToOptions,
): Promise<OpenedPlane> {
  refuseTunnelOptions(found.driver, options.endpointOptions)
  const access = await openAccess(deps, { ...options, ...found })
  if (grant === undefined) {
    return { ...found, access, user: { kind: 'embedded', access } }
  }
  await using api = deps.openApi(access)
  const { driver, plane } = found
  const issue: GrantDependencies['issue'] = (identity, lifetimeMs) =>
    driver.issueCredential(plane, identity, lifetimeMs)
  const user = await grantAccess({ plane, issue, api }, grant, options.signal)
  return { ...found, access, user }
}

function refuseTunnelOptions({ name }: Driver, options: EndpointOptions | undefined): void {
  const leftOut = (value: unknown) => (value === undefined ? undefined : false)
  const hint = {
    localPort: leftOut(options?.localPort),
    address: leftOut(options?.address),
    idleTimeout: leftOut(options?.idleTimeoutMs),
  }
  if (name === 'local' && Object.values(hint).includes(false)) {
    throw new VplaneError('USAGE', 'planes of the driver "local" have no tunnel', { hints: [hint] })
  }
}

/** A context outlives this process, and so must the address of its plane. */
async function contextOf(
  deps: AccessDependencies,
  found: ResolvedPlane,
  { embedCredentials, ...options }: ContextOptions,
): Promise<NewContext> {
  const endpointOptions = { ...options.endpointOptions, lasting: true }
  const isEmbedded = embedCredentials || options.grant !== undefined
  const opening = { ...options, endpointOptions, isHeld: isEmbedded }
  const { access, user } = await openFound(deps, found, opening)
  const { server } = endpointOptions
  const plugin = { kind: 'plugin', ...(server === undefined ? {} : { server }) } as const
  return { plane: found.plane, endpoint: access, user: isEmbedded ? user : plugin }
}
