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
  /** The context, as errors show it. */
  context: string
  /** The cluster that the plugin gets if it asks for it. */
  cluster: () => Promise<ExecCluster>
  environment: Environment
  /** Whether a person is at the terminal, and the plugin may use it. */
  isInteractive: boolean
  /** Time limit of a plugin that asks nothing, in milliseconds. */
  timeoutMs: number
  /** Ends the plugin. */
  signal: AbortSignal
  /** @default the clock of this machine */
  now?: () => number
}

/**
 * The credentials of a plugin, cached until they expire or are refused. The plugin runs once for all waiting requests.
 */
export class ExecCredentials {
  readonly #plugin: ExecPlugin
  readonly #options: ExecOptions
  #cached: ExecCredential | undefined
  #running: Promise<Credential> | undefined

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin
    this.#options = options
  }

  /** @throws {VplaneError} `FAILED` when the plugin gives none: then a login is needed. */
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
