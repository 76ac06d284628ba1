import type { Environment } from '../../../shared/environment.ts'
import type { Credential } from '../../connection.ts'
import type { VplaneError } from '../../../shared/errors.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { ExecCluster, ExecCredential } from './exec-credential.ts'
import { formatExecInfo, parseExecCredential } from './exec-credential.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { PluginError, runPlugin } from './run-plugin.ts'
import { toLoginNeeded } from './to-login-needed.ts'

export interface ExecOptions {
  /** The context, as errors name it. */
  context: string
  /** What the plugin is told about the cluster, if it wants to know. */
  cluster: () => Promise<ExecCluster>
  environment: Environment
  /** Whether there is a person at the terminal, and the terminal is ours to lend. */
  isInteractive: boolean
  /** How long the plugin may take when nobody is asked, in milliseconds. */
  timeoutMs: number
  /** Ends the plugin. */
  signal: AbortSignal
  /** @default the clock of this machine */
  now?: () => number
}

/**
 * The credentials that a plugin gives, kept until they expire or are refused. However many requests wait for them, the
 * plugin runs once.
 */
export class ExecCredentials {
  readonly #plugin: ExecPlugin
  readonly #options: ExecOptions
  #kept: ExecCredential | undefined
  #running: Promise<Credential> | undefined

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin
    this.#options = options
  }

  /** @throws {VplaneError} `FAILED` when the plugin gives none: then a login is needed. */
  async current(): Promise<Credential> {
    const { now = Date.now } = this.#options
    if (this.#kept !== undefined && now() < this.#kept.expiresAt) {
      return this.#kept.credential
    }
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** Keeps a credential no longer that the server refused. */
  forget({ authorization, certificate }: Credential): void {
    const kept = this.#kept?.credential
    if (kept?.authorization === authorization && kept?.certificate === certificate) {
      this.#kept = undefined
    }
  }

  async #run(): Promise<Credential> {
    try {
      const { apiVersion } = this.#plugin
      const text = await runPlugin(this.#plugin, { ...this.#options, ...(await this.#input()) })
      this.#kept = parseExecCredential(text, apiVersion)
      return this.#kept.credential
    } catch (error) {
      this.#options.signal.throwIfAborted()
      throw this.#toLoginNeeded(error)
    }
  }

  async #input(): Promise<{ info: string; isInteractive: boolean }> {
    const { apiVersion, interactiveMode, provideClusterInfo } = this.#plugin
    const isInteractive = this.#options.isInteractive && interactiveMode !== 'Never'
    if (interactiveMode === 'Always' && !isInteractive) {
      throw new PluginError('has to ask, and nobody can be asked here')
    }
    const spec = {
      interactive: isInteractive,
      ...(provideClusterInfo && { cluster: await this.#options.cluster() }),
    }
    return { info: formatExecInfo(apiVersion, spec), isInteractive }
  }

  #toLoginNeeded(error: unknown): VplaneError {
    const isMissing = error instanceof PluginError && error.isMissing
    return toLoginNeeded(`the credential plugin "${this.#plugin.command}" ${messageOf(error)}`, {
      context: this.#options.context,
      plugin: this.#plugin,
      isMissing,
      cause: error,
    })
  }
}
