import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../control-plane/plane/plane.ts'
import {
  type ComponentLines,
  labelled,
  readLogs,
} from '../control-plane/use-cases/observe/read-logs.ts'
import { VplaneError } from '../shared/errors.ts'
import { parseDays, parseTime } from '../shared/text/duration.ts'
import { linesOf } from '../shared/text/whole-lines.ts'

/** One line of a log; `--json` prints each as one object on one line. */
export interface LogsResult {
  component: AnyComponentName
  /** Null for a plane on this machine. */
  pod: string | null
  line: string
}

export default class Logs extends BaseCommand {
  static override readonly summary = 'Shows the logs of a control plane.'
  static override readonly description =
    'Without COMPONENT, shows the logs of all components one after another; with --follow, as they are written. With --json, prints one object per line of the log, each on one line.'
  static override readonly examples = [
    '<%= config.bin %> logs dev',
    '<%= config.bin %> logs dev kube-apiserver --follow --tail 20',
    '<%= config.bin %> logs dev etcd --since 5m',
  ]
  static override readonly group = 'planes'
  static override readonly args = {
    name: nameArgument(),
    component: Args.option({
      options: ALL_COMPONENT_NAMES,
      description: 'Component to show; all by default.',
    })(),
  }
  static override readonly flags = {
    ...selectorFlags,
    follow: Flags.boolean({ char: 'f', summary: 'Follows the log until Ctrl-C.' }),
    tail: Flags.integer({ summary: 'Lines from the end.', min: 0, helpValue: 'LINES' }),
    since: Flags.custom<number>({
      summary: 'Only lines of this time until now: 90s, 5m, 1h30m, 2d.',
      helpValue: 'DURATION',
      parse: async (text) => parseDays(text),
    })(),
    'since-time': Flags.custom<Date>({
      summary: 'Only lines since this time: 2026-06-01T12:00:00Z.',
      helpValue: 'TIME',
      parse: async (text) => parseTime(text),
      exclusive: ['since'],
    })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Logs)
    const { composition, selected } = await this.select(args.name, flags)
    const { 'since-time': sinceTime } = flags
    const { components, lines } = await readLogs(composition, {
      ...selected,
      component: args.component,
      follow: flags.follow,
      tail: flags.tail,
      sinceMs: sinceTime === undefined ? flags.since : Date.now() - sinceTime.getTime(),
    })
    for await (const some of lines) {
      const text = labelled(some, components.length > 1 ? some.component : undefined)
      process.stdout.write(this.jsonEnabled() ? jsonLines(some) : text)
    }
  }

  protected override async catch(error: Error): Promise<never> {
    const [, since] = /^Expected (\d+[smhd]) to be one of/.exec(error.message) ?? []
    const message = `"${since}" is a duration, not a component`
    const hints = [`--since ${since}`]
    return super.catch(since === undefined ? error : new VplaneError('USAGE', message, { hints }))
  }
}

function jsonLines({ component, pod, text }: ComponentLines): string {
  const results = linesOf(text).map((line): LogsResult => ({ component, pod: pod ?? null, line }))
  return results.map((result) => `${JSON.stringify(result)}\n`).join('')
}
