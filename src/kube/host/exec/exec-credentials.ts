import type { Credential } from '../../connection.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { PluginError, type RunOptions, runPlugin } from './run-plugin.ts'
import { toLoginNeeded } from './to-login-needed.ts'
import { fieldAt, recordAt, textAt, type Json } from '../../../shared/json-fields.ts'

export interface ExecOptions extends Omit<RunOptions, 'info'> {
  /** The context, for errors. */
  context: string
  /** The cluster, for plugins that request it. */
  cluster: () => Promise<ExecCluster>
  /** @default the clock of this machine */
  now?: () => number
}

/** The cluster that a plugin receives, with the fields of its API. */
export interface ExecCluster {
  server: string
  'tls-server-name'?: string | undefined
  'insecure-skip-tls-verify'?: boolean | undefined
  /** Base64. */
  'certificate-authority-data'?: string | undefined
  'proxy-url'?: string | undefined
  config?: unknown
}

/** A credential of a plugin, and when it expires, in milliseconds since 1970; infinity if the plugin gives no time. */
interface ExecCredential {
  credential: Credential
  expiresAt: number
}

/** The credentials of a plugin, cached until they expire or are refused. It runs once for all waiting requests. */
export class ExecCredentials {
  readonly #plugin: ExecPlugin
  readonly #options: ExecOptions
  #cached: ExecCredential | undefined
  #running: Promise<Credential> | undefined

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin
    this.#options = options
  }

  /** @throws {VplaneError} `FAILED` when the plugin gives no credential: a login is required then. */
  async current(): Promise<Credential> {
    const { now = Date.now } = this.#options
    if (this.#cached !== undefined && now() < this.#cached.expiresAt) {
      return this.#cached.credential
    }
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** Removes a refused credential from the cache. */
  forget({ authorization, certificate }: Credential): void {
    const cached = this.#cached?.credential
    if (cached?.authorization === authorization && cached?.certificate === certificate) {
      this.#cached = undefined
    }
  }

  async #run(): Promise<Credential> {
    try {
      const { apiVersion } = this.#plugin
      const text = await runPlugin(this.#plugin, { ...this.#options, ...(await this.#input()) })
      this.#cached = parseExecCredential(text, apiVersion)
      return this.#cached.credential
    } catch (error) {
      this.#options.signal.throwIfAborted()
      throw toLoginNeeded(`the credential plugin "${this.#plugin.command}" ${messageOf(error)}`, {
        context: this.#options.context,
        plugin: this.#plugin,
        isMissing: error instanceof PluginError && error.isMissing,
        cause: error,
      })
    }
  }

  async #input(): Promise<{ info: string; isInteractive: boolean }> {
    const { apiVersion, interactiveMode, provideClusterInfo } = this.#plugin
    const isInteractive = this.#options.isInteractive && interactiveMode !== 'Never'
    if (interactiveMode === 'Always' && !isInteractive) {
      throw new PluginError('must ask the user, and vplane has no terminal here')
    }
    const cluster = provideClusterInfo ? await this.#options.cluster() : undefined
    const spec = { interactive: isInteractive, cluster }
    return { info: JSON.stringify({ kind: 'ExecCredential', apiVersion, spec }), isInteractive }
  }
}

/** @throws {Error} whose message is to be read after the plugin's name, and quotes no output. */
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
  const authorization = bearer === undefined ? undefined : `Bearer ${bearer}`
  return {
    credential: { certificate, key, authorization },
    expiresAt: toTime(fieldAt(printed, 'status', 'expirationTimestamp')),
  }
}

function parseJson(text: string): Json {
  try {
    return recordAt(JSON.parse(text)) ?? {}
  } catch {
    // The message of the parser quotes the text, which may contain a part of a token.
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
