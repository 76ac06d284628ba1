import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../control-plane/plane/plane.ts'
import { readLogs } from '../control-plane/use-cases/observe/read-logs.ts'

export interface LogsResult {
  name: string
  logs: Array<{ component: AnyComponentName; text: string }>
}

export default class Logs extends BaseCommand {
  static override readonly summary = 'Shows the logs of a control plane.'
  static override readonly description =
    'Without COMPONENT, shows the logs of all components one after another; with --follow, as they are written.'
  static override readonly examples = [
    '<%= config.bin %> logs dev',
    '<%= config.bin %> logs dev kube-apiserver --follow --tail 20',
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
    follow: Flags.boolean({
      char: 'f',
      summary: 'Follows the log until Ctrl-C.',
      exclusive: ['json'],
    }),
    tail: Flags.integer({ summary: 'Lines from the end.', min: 0, helpValue: 'LINES' }),
  }

  async run(): Promise<LogsResult> {
    const { args, flags } = await this.parse(Logs)
    const { composition, selected } = await this.select(args.name, flags)
    const { components, texts } = await readLogs(composition, {
      ...selected,
      component: args.component,
      follow: flags.follow,
      tail: flags.tail,
    })
    const logs = components.map((component) => ({ component, text: '' }))
    for await (const { component, text } of texts) {
      if (this.jsonEnabled()) {
        const log = logs.find((one) => one.component === component)
        Object.assign(log ?? {}, { text: `${log?.text ?? ''}${text}` })
      } else {
        process.stdout.write(text)
      }
    }
    return { name: selected.name, logs }
  }
}
