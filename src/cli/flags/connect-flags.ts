import { isIP } from 'node:net'
import { Flags } from '@oclif/core'
import type { EndpointOptions } from '../../control-plane/driver/endpoint-options.ts'
import { CREDENTIAL_LIFETIME_MS } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import type { GrantRequest } from '../../control-plane/use-cases/connect/grant-access.ts'
import type { Ui } from '../../shared/ui.ts'
import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { inHelpGroup } from './flags.ts'
import type { Given } from './given-flags.ts'

/** The flags of a connection to a plane. */
export const accessFlags = inHelpGroup('Connection', {
  server: Flags.custom({
    summary: 'Address of the API, if no tunnel is needed.',
    helpValue: 'URL',
    parse: async (text) => parseServer(text),
  })(),
  'local-port': Flags.integer({
    summary: 'Fixed local port for the tunnel.',
    helpValue: 'PORT',
    min: 1,
    max: 65_535,
    exclusive: ['server'],
  }),
  address: Flags.custom({
    summary: 'Address that the tunnel listens on; by default 127.0.0.1.',
    helpValue: 'IP',
    parse: async (text) => parseAddress(text),
    exclusive: ['server'],
  })(),
  'idle-timeout': Flags.custom<number>({
    summary: 'Stops the tunnel after this time without use; by default 30m.',
    helpValue: 'DURATION',
    parse: async (text) => parseDuration(text),
    exclusive: ['server'],
  })(),
})

/** The flags that select the user or ServiceAccount of a kubeconfig. */
export const grantFlags = inHelpGroup('Credentials for someone else', {
  'service-account': Flags.string({
    summary: 'Authenticates as this ServiceAccount, with a token.',
    helpValue: '[NAMESPACE/]NAME',
    exclusive: ['user'],
  }),
  user: Flags.string({
    summary: 'Authenticates as this user, with a client certificate.',
    helpValue: 'NAME',
  }),
  group: Flags.string({
    summary: 'Adds the user to this group.',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAME',
    dependsOn: ['user'],
  }),
  'cluster-role': Flags.string({
    summary: 'Binds the user or ServiceAccount to this ClusterRole.',
    helpValue: 'NAME',
  }),
  expires: Flags.custom<number>({
    summary: 'Lifetime of the credential: 8h; by default a day.',
    helpValue: 'DURATION',
    parse: async (text) => parseDuration(text),
  })(),
})

export type GivenAccessFlags = Given<typeof accessFlags>

export type GivenGrantFlags = Given<typeof grantFlags>

/** The flags of a context that `connect` writes or prints. */
interface GivenContextFlags {
  print?: boolean
  'kubeconfig-file'?: string | undefined
  'update-current'?: boolean
}

/** Warns of a tunnel that others can reach. @throws {VplaneError} `USAGE` for flags of a context with one command. */
export function accessOptionsOf(
  flags: GivenAccessFlags & GivenContextFlags,
  { lasting, ui }: { ui: Pick<Ui, 'warn'>; lasting: boolean },
): EndpointOptions {
  const { address, 'idle-timeout': idleTimeoutMs, 'local-port': localPort, server } = flags
  const ofContext = {
    address,
    'local-port': localPort,
    'idle-timeout': idleTimeoutMs,
    'kubeconfig-file': flags['kubeconfig-file'],
    print: flags.print === true || undefined,
    'no-update-current': flags['update-current'] === false || undefined,
  }
  const [given] = Object.keys(omitUndefined(ofContext))
  if (!lasting && given !== undefined) {
    throw new VplaneError('USAGE', `--${given} is for a context, not for a command after --`)
  }
  if (address !== undefined && !isLoopback(address)) {
    ui.warn(
      `the tunnel listens on ${address}: anyone who reaches this machine can reach the control plane, which accepts valid credentials only`,
    )
  }
  return { lasting, server, localPort, address, idleTimeoutMs }
}

/** Undefined for the administrator. @throws {VplaneError} `USAGE` when flags need a user or ServiceAccount. */
export function grantOf(flags: GivenGrantFlags): GrantRequest | undefined {
  const { 'cluster-role': clusterRole, expires, group = [], 'service-account': account } = flags
  const lifetimeMs = expires ?? CREDENTIAL_LIFETIME_MS
  if (account !== undefined) {
    return { subject: parseServiceAccount(account), lifetimeMs, clusterRole }
  }
  if (flags.user !== undefined) {
    return { subject: { user: flags.user, groups: group }, lifetimeMs, clusterRole }
  }
  const lonely = (['cluster-role', 'expires'] as const).find((name) => flags[name] !== undefined)
  if (lonely !== undefined) {
    throw new VplaneError('USAGE', `--${lonely} needs --user or --service-account`)
  }
  return undefined
}

function parseServiceAccount(text: string): { namespace: string; serviceAccount: string } {
  const [, namespace = 'default', name = ''] =
    /^(?:([a-z0-9][a-z0-9-]*)\/)?([a-z0-9][a-z0-9.-]*)$/.exec(text) ?? []
  if (name === '') {
    throw new VplaneError('USAGE', `"${text}" is not a ServiceAccount`, {
      hints: ['--service-account NAMESPACE/NAME'],
    })
  }
  return { namespace, serviceAccount: name }
}

function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url?.protocol === 'https:' && url.pathname === '/' && url.search === ''
  if (url === undefined || !isOrigin || url.username !== '') {
    throw new VplaneError('USAGE', `"${text}" is not the address of an API`, {
      hints: ['--server https://HOST:PORT'],
    })
  }
  return url.origin
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) {
    throw new VplaneError('USAGE', `"${text}" is not an IP address`, {
      hints: ['--address 127.0.0.1', '--address 0.0.0.0'],
    })
  }
  return text
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
