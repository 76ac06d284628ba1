import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { EndpointOptions } from '../../driver/endpoint-options.ts'
import { type PlaneReference, referenceOf } from '../../plane/plane.ts'
import { type Access, type AccessDependencies, openAccess } from '../access/access.ts'
import type { Contexts, ContextUser, NewContext, WrittenContext } from '../access/contexts.ts'
import { type GrantRequest, grantAccess } from './grant-access.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export interface ConnectDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  contexts: Contexts
}

export interface AccessToOptions {
  /** What the way in is for. @default one that lives as long as this process */
  way?: EndpointOptions
  /** Somebody else than the administrator. @default the administrator */
  grant?: GrantRequest | undefined
  /** Whether the client uses the credential to its end. @default false */
  isHeld?: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface ContextOptions extends AccessToOptions {
  /** Write a certificate into the kubeconfig instead of naming the credential plugin. */
  embedCredentials: boolean
  /** Whether the context becomes the current one. @default true */
  makeCurrent?: boolean
}

/** A context for the plane that a selector means. */
export interface ConnectOptions extends ContextOptions, PlaneSelector {}

export interface OpenedPlane extends ResolvedPlane {
  /** The administrator's. */
  access: Access
  /** Who the kubeconfig speaks for, with a credential in it. */
  user: ContextUser
}

export interface ConnectResult extends WrittenContext {
  plane: PlaneReference
  server: string
}

export interface RenderedKubeconfig {
  /** YAML. */
  kubeconfig: string
  plane: PlaneReference
  server: string
}

/**
 * Starts a plane that rests, and makes a context of the user's kubeconfig lead to it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `openAccess`, `grantAccess` and the kubeconfig's file throw.
 */
export async function connectControlPlane(
  deps: ConnectDependencies,
  { signal, timeoutMs, ...options }: ConnectOptions,
): Promise<ConnectResult> {
  const { driver, hostContext, name, namespace, ...others } = options
  const found = await resolvePlane(deps, { name, driver, namespace, hostContext })
  return connectPlane(deps, found, { ...others, signal, timeoutMs })
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

/**
 * A kubeconfig for one plane alone, as text.
 *
 * @throws {VplaneError} as `connectControlPlane` does.
 */
export async function renderControlPlaneKubeconfig(
  deps: ConnectDependencies,
  options: ConnectOptions,
): Promise<RenderedKubeconfig> {
  const { driver, hostContext, name, namespace, ...others } = options
  const found = await resolvePlane(deps, { name, driver, namespace, hostContext })
  const context = await contextOf(deps, found, others)
  const { server } = context.endpoint
  return { kubeconfig: deps.contexts.render(context), plane: referenceOf(found.plane), server }
}

/**
 * A way into a plane by name, for the administrator or for somebody else.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `openAccess` and `grantAccess` throw.
 */
export async function openAccessTo(
  deps: AccessDependencies & { drivers: readonly Driver[] },
  { driver, hostContext, name, namespace, ...options }: AccessToOptions & PlaneSelector,
): Promise<OpenedPlane> {
  const found = await resolvePlane(deps, { name, driver, namespace, hostContext })
  return openFound(deps, found, options)
}

async function openFound(
  deps: AccessDependencies,
  found: ResolvedPlane,
  { grant, ...options }: AccessToOptions,
): Promise<OpenedPlane> {
  refuseTunnelOptions(found.driver, options.way)
  const access = await openAccess(deps, { ...found, ...options })
  if (grant === undefined) {
    return { ...found, access, user: { kind: 'embedded', access } }
  }
  await using api = deps.openApi(access)
  return { ...found, access, user: await grantAccess({ ...found, api }, grant, options.signal) }
}

/** Planes of this machine are reached as they are. */
function refuseTunnelOptions({ name }: Driver, way: EndpointOptions | undefined): void {
  const leftOut = (value: unknown) => (value === undefined ? undefined : false)
  const options = {
    localPort: leftOut(way?.localPort),
    address: leftOut(way?.address),
    idleTimeout: leftOut(way?.idleTimeoutMs),
  }
  if (name === 'local' && Object.values(options).includes(false)) {
    throw new VplaneError('USAGE', 'planes of the driver "local" have no tunnel', {
      hints: [options],
    })
  }
}

/** A context stays when the process ends, and so does the way to its plane. */
async function contextOf(
  deps: AccessDependencies,
  found: ResolvedPlane,
  { embedCredentials, ...options }: ContextOptions,
): Promise<NewContext> {
  const way = { ...options.way, lasting: true }
  const isEmbedded = embedCredentials || options.grant !== undefined
  const { access, user } = await openFound(deps, found, { ...options, way, isHeld: isEmbedded })
  const plugin = {
    kind: 'plugin',
    ...(way.server === undefined ? {} : { server: way.server }),
  } as const
  return { plane: found.plane, endpoint: access, user: isEmbedded ? user : plugin }
}
