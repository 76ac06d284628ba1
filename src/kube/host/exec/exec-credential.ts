import type { Credential } from '../../connection.ts'
import { isRecord } from '../../../shared/json-fields.ts'

/** What a plugin is told about the cluster, in the words of its API. */
export interface ExecCluster {
  server: string
  'tls-server-name'?: string
  'insecure-skip-tls-verify'?: boolean
  /** Base64. */
  'certificate-authority-data'?: string
  'proxy-url'?: string
  config?: unknown
}

/** What a plugin is told: the value of `KUBERNETES_EXEC_INFO`. */
export function formatExecInfo(
  apiVersion: string,
  spec: { interactive: boolean; cluster?: ExecCluster },
): string {
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec })
}

/** A credential of a plugin, and until when it may be used, in milliseconds since 1970; for ever when it does not say. */
export interface ExecCredential {
  credential: Credential
  expiresAt: number
}

/**
 * Reads what a plugin has printed.
 *
 * @throws {Error} that says after the plugin's name what is wrong with it, and quotes nothing of it.
 */
export function parseExecCredential(text: string, apiVersion: string): ExecCredential {
  const printed = parseJson(text)
  if (printed['kind'] !== 'ExecCredential' || printed['apiVersion'] !== apiVersion) {
    throw new Error(`did not print an ExecCredential of ${apiVersion}`)
  }
  const { status } = printed
  const { clientCertificateData, clientKeyData, expirationTimestamp, token } = isRecord(status)
    ? status
    : {}
  const certificate = textIn(clientCertificateData)
  const key = textIn(clientKeyData)
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('printed a certificate or a key, not both')
  }
  const bearer = textIn(token)
  if (bearer === undefined && certificate === undefined) {
    throw new Error('printed neither a token nor a certificate')
  }
  return {
    credential: {
      certificate,
      key,
      authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
    },
    expiresAt: toTime(expirationTimestamp),
  }
}

function parseJson(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The message of the parser quotes the text, which may hold half a token.
    throw new Error('did not print JSON')
  }
  return isRecord(value) ? value : {}
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function toTime(timestamp: unknown): number {
  if (timestamp === undefined || timestamp === null) {
    return Infinity
  }
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) {
    throw new Error('printed an expirationTimestamp that is not a time')
  }
  return time
}
