import { compose, type ComposeOptions, type Composition } from '../compose/compose.ts'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import type { Access } from '../control-plane/use-cases/access/access.ts'
import { openAccessTo } from '../control-plane/use-cases/connect/connect-control-plane.ts'
import { resolvePlane } from '../control-plane/use-cases/find/resolve-plane.ts'
import { planeWords } from './catalog/hint-text.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { pathsOf } from '../shared/paths.ts'
import { shareCertificate } from '../shared/text/share-certificate.ts'
import { silentUi } from '../shared/ui.ts'
import { printError } from './errors/present-error.ts'
import { readSettingLayers, toSettings, withFileSettings } from './settings/settings.ts'
import { toFailure } from './errors/to-failure.ts'

/** The cluster of the client's context. */
export interface WantedCluster {
  /** Where the client is about to connect to. */
  wantedServer: string | undefined
  /** The CAs that the client trusts there, PEM. */
  wantedAuthority: string | undefined
}

export interface WantedCredential extends WantedCluster {
  driver: string | undefined
  name: string
  /** Only with the `kubernetes` driver. */
  namespace: string | undefined
  /** Only with the `kubernetes` driver. */
  hostContext: string | undefined
  server: string | undefined
}

/**
 * The access to a plane that may be paused, whose tunnel may be stopped, or whose credential has expired.
 *
 * @throws {VplaneError} what `openAccessTo` throws, and `CONFLICT` when the plane is at another address than the
 * client's context: the context is rewritten, and the next attempt works, unless it leads to another plane of this name.
 */
export async function slowCredential(wanted: WantedCredential): Promise<Access> {
  const { driver, hostContext, name, namespace, server, wantedAuthority, wantedServer } = wanted
  const environment = processEnvironment()
  const layers = await readSettingLayers(environment)
  const { timeoutMs } = toSettings(layers)
  const readEnvironment = async () => withFileSettings(environment, layers)
  // The client ends the plugin by a signal, and no handler is installed for it.
  const { signal } = new AbortController()
  const ui = {
    ...silentUi,
    step: (text: string) => process.stderr.write(`vplane: ${text}\n`),
    warn: (text: string) => process.stderr.write(`vplane: warning: ${text}\n`),
  }
  await using composition = await composeFor(wanted, { environment, readEnvironment, ui })
  await refuseBeforeStart(composition, wanted)
  const { access, plane } = await openAccessTo(composition, {
    name,
    namespace,
    hostContext,
    timeoutMs,
    signal,
    endpointOptions: { lasting: true, server },
    ...(driver === 'local' || driver === 'kubernetes' ? { driver } : {}),
  })
  if (wantedServer !== undefined && wantedServer !== access.server) {
    refuseAnother(plane, access, wantedAuthority)
    const isMoved = await composition.contexts.move(plane, access, signal)
    const message = `"${name}" is now at ${access.server}, not at ${wantedServer}`
    // The context may be in a file that the client was given, and that is not known here.
    const connect = `vplane connect ${planeWords(plane)}`
    const hints = isMoved
      ? ['its context is rewritten: run the command again']
      : [
          `${connect} --kubeconfig-file FILE`,
          `or print it again: vplane kubeconfig ${planeWords(plane)}`,
        ]
    throw new VplaneError('CONFLICT', message, { hints })
  }
  return access
}

/**
 * A client of another plane of this name must not start a plane of this machine, whose address and CA are known before.
 * @throws {VplaneError} as `refuseAnother` does.
 */
async function refuseBeforeStart(
  composition: Composition,
  { driver, name, wantedAuthority, wantedServer }: WantedCredential,
): Promise<void> {
  if (driver === 'local' && wantedServer !== undefined) {
    const found = await resolvePlane(composition, { name, driver })
    const endpoint = await found.driver.endpoint(found.plane)
    if (endpoint.server !== wantedServer) {
      refuseAnother(found.plane, endpoint, wantedAuthority)
    }
  }
}

/** @throws {VplaneError} `CONFLICT` when the client's context leads to another plane of this name. */
function refuseAnother(
  plane: PlaneReference,
  { certificateAuthority }: Pick<Access, 'certificateAuthority'>,
  wantedAuthority = certificateAuthority,
): void {
  if (!shareCertificate(wantedAuthority, certificateAuthority)) {
    const message = `the context leads to another control plane named "${plane.name}", with another CA`
    const elsewhere = 'if that one is in another folder: VPLANE_HOME=/path/to/folder vplane list'
    throw new VplaneError('CONFLICT', message, {
      hints: [
        ...(plane.driver === 'local' ? [elsewhere] : []),
        `if it was created again: vplane connect ${planeWords(plane)}`,
      ],
    })
  }
}

/** The client's kubeconfig may have no host context: the tunnel stores the one that it was created with. */
async function composeFor(
  { driver, hostContext, name, namespace }: WantedCredential,
  options: ComposeOptions,
): Promise<Composition> {
  if (driver !== 'kubernetes' || namespace === undefined || hostContext === undefined) {
    return compose(options)
  }
  const plane = { name, driver, namespace, hostContext } as const
  const { recordedHostAccess } = await import('../compose/host/recorded-host-access.ts')
  const hostAccess = recordedHostAccess(pathsOf(options.environment), {
    plane,
    environment: options.environment,
  })
  return compose({ ...options, hostContext, hostAccess })
}

/** Prints an error on stderr, and returns its exit status. */
export function presentCredentialError(error: unknown): number {
  const failure = toFailure(error, {
    usage: 'vplane COMMAND',
    help: 'vplane help',
    isInterrupted: false,
  })
  printError(failure)
  return failure.exitCode
}
