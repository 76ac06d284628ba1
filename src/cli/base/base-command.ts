import { Command } from '@oclif/core/command'
import type { Config } from '@oclif/core/config'
import * as Flags from '@oclif/core/flags'
import type { Composition } from '../../compose/compose.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import { type Environment, processEnvironment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { normalizeBooleans } from '../flags/boolean-words.ts'
import { callOf, type CommandGroup, type CommandInfo, usageOf } from '../catalog/command-info.ts'
import { planeWords } from '../catalog/hint-text.ts'
import { commandAfterDashes } from '../catalog/command-words.ts'
import { type Interrupts, listenForInterrupts } from '../processes/interrupts.ts'
import type { Settings } from '../settings/settings.ts'
import { dataFormatIn } from '../flags/output-flag.ts'
import { type GivenSelectorFlags, selectorOf } from '../flags/selector-flags.ts'
import { planeChoices } from './plane-choices.ts'
import { TerminalUi } from '../terminal/terminal-ui.ts'
import { jsonText, toErrorJson } from '../errors/present-error.ts'
import { type FailureContext, toFailure } from '../errors/to-failure.ts'

export interface Selection {
  composition: Composition
  selected: PlaneSelector & { signal: AbortSignal }
}

/**
 * What every command has: `--json`, a ui, a signal, settings, and errors that are `VplaneError`s with the exit code in
 * `oclif.exit`, and for scripts their text in `oclif.text`. `run()` returns the result; `this.log` prints it for people.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true

  static override baseFlags = {
    json: Flags.boolean({ summary: 'Prints the result as JSON on stdout.' }),
  }

  declare ['constructor']: typeof BaseCommand

  static group: CommandGroup = 'tools'

  /** The words after `--` as they read in the usage line, such as `[-- CMD...]`; without it, there may be none. */
  static passedCommand: string | undefined = undefined

  /** Whether the same call continues an interrupted one. */
  static isContinuable = false

  /** Runs the command with a configuration as it is; `run` of the framework would load that again. */
  static async start<C extends BaseCommand>(
    this: new (argv: string[], config: Config) => C,
    argv: string[],
    config: Config,
  ): Promise<Awaited<ReturnType<C['run']>>> {
    // oxlint-disable-next-line no-underscore-dangle -- the framework's name for it
    return await new this(argv, config)._run()
  }

  /** The user's own command after `--`, verbatim; undefined when there was no `--`. */
  protected passedCommand: string[] | undefined

  #ui: TerminalUi | undefined
  #interrupts: Interrupts | undefined
  #settings: Promise<Settings> | undefined
  #composition: Composition | undefined
  /** Set with `-o yaml`. */
  #formatYaml: ((value: unknown) => string) | undefined

  protected override async init(): Promise<void> {
    await super.init()
    for (const arg of Object.values(this.constructor.args)) {
      // @oclif/core reads a missing argument from stdin, which belongs to the user's command.
      arg.ignoreStdin = true
    }
    const { flags, baseFlags, passedCommand } = this.constructor
    if (passedCommand !== undefined) {
      this.#splitWords()
    }
    if (this.#dataFormat === 'yaml') {
      this.#formatYaml = (await import('../../shared/yaml/yaml.ts')).formatYaml
    }
    this.argv = normalizeBooleans(this.argv, { ...baseFlags, ...flags })
  }

  protected get environment(): Environment {
    return processEnvironment()
  }

  /** Everything that use cases need, put together for this process; flags win over settings. */
  protected async compose(
    flags: { 'host-context'?: string | undefined; kubeconfig?: string | undefined } = {},
  ): Promise<Composition> {
    const { composeBySettings } = await import('../settings/compose-by-settings.ts')
    this.#composition ??= await composeBySettings({
      environment: {
        ...this.environment,
        ...(flags.kubeconfig === undefined ? {} : { KUBECONFIG: flags.kubeconfig }),
      },
      ui: this.ui,
      isJson: this.jsonEnabled(),
      hostContext: flags['host-context'],
    })
    return this.#composition
  }

  protected get ui(): TerminalUi {
    const { environment } = this
    const { stdin, stderr } = process
    const terminal = { stdin, stderr, environment, isJson: this.jsonEnabled() }
    // Before the command listens for signals, they end this process, and with it a question.
    this.#ui ??= new TerminalUi(terminal, () => this.#interrupts?.signal)
    return this.#ui
  }

  /** Signals to this process; from the first use of it on, they abort `signal` instead of killing the process. */
  protected get interrupts(): Interrupts {
    this.#interrupts ??= listenForInterrupts(process)
    return this.#interrupts
  }

  protected get signal(): AbortSignal {
    return this.interrupts.signal
  }

  /** Those of variables and config.yaml, without flags. @throws {VplaneError} `INVALID_SPEC` when one is wrong. */
  protected settings(): Promise<Settings> {
    this.#settings ??= import('../settings/settings.ts').then(({ loadSettings }) =>
      loadSettings(this.environment),
    )
    return this.#settings
  }

  /** The plane that NAME and flags select, or a person chooses. @throws {VplaneError} `USAGE` when it cannot ask. */
  protected async select(name: string | undefined, flags: GivenSelectorFlags): Promise<Selection> {
    const composition = await this.compose(flags)
    const plane = await this.selectPlane(name, flags, composition)
    return { composition, selected: { ...plane, signal: this.signal } }
  }

  /** The plane of `select`, for commands that compose by themselves. */
  protected async selectPlane(
    name: string | undefined,
    flags: GivenSelectorFlags,
    { drivers }: { drivers: readonly Driver[] },
  ): Promise<PlaneSelector> {
    const selector = selectorOf(flags)
    if (name !== undefined) {
      return { ...selector, name }
    }
    const choices = await planeChoices(drivers, selector)
    const call = callOf(this.constructor, this.config.bin)
    const few = choices.length > 3 ? [] : choices
    const chosen = await this.ui.chooseFrom('Which control plane?', choices, {
      missing: 'NAME is missing',
      hints: [...few.map((plane) => `${call} ${planeWords(plane.selector)}`), this.usageHint],
    })
    const choice = choices.find(({ value }) => value === chosen)
    return { ...selector, name: chosen, ...choice?.selector }
  }

  /** Exit status of a failure; overridden where a command's own failures have another. */
  protected exitCodeOf(error: VplaneError): number {
    return error.code === 'ABORTED'
      ? (this.#interrupts?.exitCode ?? error.exitCode)
      : error.exitCode
  }

  /** Anything that was thrown as the error that is shown. */
  protected failureOf(error: unknown): VplaneError {
    return toFailure(error, this.#context())
  }

  override jsonEnabled(): boolean {
    return super.jsonEnabled() || this.#dataFormat !== undefined
  }

  override log(message?: string, ...args: unknown[]): void {
    this.#ui?.finish()
    super.log(message, ...args)
  }

  protected override logJson(json: unknown): void {
    process.stdout.write(this.#dataOf(json))
  }

  #dataOf(json: unknown): string {
    return this.#formatYaml?.(json) ?? jsonText(json)
  }

  get #dataFormat(): 'json' | 'yaml' | undefined {
    return dataFormatIn(commandAfterDashes(this.argv).own, this.constructor.flags?.['output'])
  }

  protected override async catch(error: Error & { code?: unknown }): Promise<never> {
    if (error.code === 'EEXIT') {
      throw error
    }
    this.#ui?.finish('failed')
    const failure = this.failureOf(error)
    const exit = this.exitCodeOf(failure)
    const text = this.jsonEnabled() ? this.#dataOf(toErrorJson(failure, exit)) : undefined
    throw Object.assign(failure, { oclif: { exit, text } })
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    this.#ui?.finish(error === undefined ? 'done' : 'failed')
    this.#interrupts?.[Symbol.dispose]()
    await this.#composition?.refreshed
    await this.#composition?.[Symbol.asyncDispose]()
  }

  #splitWords(): void {
    const { own, command } = commandAfterDashes(this.argv)
    this.argv = own
    this.passedCommand = command
    if (command !== undefined && this.jsonEnabled()) {
      const message = '--json cannot be used with a command, which has its own output'
      throw new VplaneError('USAGE', message, { hints: [this.usageHint] })
    }
  }

  /** How the command is called, as a hint. */
  protected get usageHint(): string {
    return `usage: ${this.#context().usage}`
  }

  #context(): FailureContext {
    const command: CommandInfo = this.constructor
    const call = callOf(command, this.config.bin)
    return {
      usage: usageOf(command, this.config.bin),
      help: `${call} --help`,
      again: this.constructor.isContinuable
        ? [call, ...this.argv.map(shellWord)].join(' ')
        : undefined,
      isInterrupted: this.#interrupts?.signal.aborted ?? false,
    }
  }
}
