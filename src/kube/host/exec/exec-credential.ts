import type { Credential } from '../../connection.ts'
import { fieldAt, recordAt, textAt, type Json } from '../../../shared/json-fields.ts'

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
  const certificate = textAt(printed, 'status', 'clientCertificateData')
  const key = textAt(printed, 'status', 'clientKeyData')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('printed a certificate or a key, not both')
  }
  const bearer = textAt(printed, 'status', 'token')
  if (bearer === undefined && certificate === undefined) {
    throw new Error('printed neither a token nor a certificate')
  }
  return {
    credential: {
      certificate,
      key,
      authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
    },
    expiresAt: toTime(fieldAt(printed, 'status', 'expirationTimestamp')),
  }
}

function parseJson(text: string): Json {
  try {
    return recordAt(JSON.parse(text)) ?? {}
  } catch {
    // The message of the parser quotes the text, which may hold half a token.
    throw new Error('did not print JSON')
  }
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
