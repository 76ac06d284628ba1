import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeOptionsOf, specChangeFlags } from '../cli/flags/change-flags.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { parseName } from '../control-plane/plane/names.ts'
import { VplaneError } from '../shared/errors.ts'
import { selectorOf } from '../cli/flags/selector-flags.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'
import { setSpecFields } from '../control-plane/spec/parse-spec.ts'

export default class Set extends BaseCommand {
  static override readonly summary = 'Changes fields of the spec of a control plane.'
  static override readonly description =
    'Shows the differences and the steps, and asks first. Only what is affected restarts: a flag of one component restarts that component alone. PATH- removes a field, so that its default applies. Returns when the plane is ready. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> set dev apiServer.extraArgs.v=4',
    '<%= config.bin %> set dev extraSans=[api.dev.example] apiServer.goGc- --yes',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly strict = false
  static override readonly args = {
    name: Args.string({ required: true, description: 'Name of the control plane.' }),
    field: Args.string({ description: 'Fields as PATH=VALUE or PATH-.', multiple: true }),
  }
  static override readonly flags = specChangeFlags

  async run(): Promise<ChangeOutcome> {
    const { argv, flags } = await this.parse(Set)
    const [name = '', ...fields] = argv.map(String)
    if (fields.length === 0) {
      throw new VplaneError('USAGE', 'no field is given', {
        hints: [`${this.config.bin} set ${name} apiServer.extraArgs.v=4`],
      })
    }
    const composition = await this.compose(flags)
    const result = await changeControlPlane(
      composition,
      ({ userSpec }) => setSpecFields(userSpec, fields),
      {
        ...selectorOf(flags),
        ...changeOptionsOf(flags),
        name: parseName(name),
        signal: this.signal,
      },
    )
    return reportChange(result, (sentence) => this.log(sentence))
  }
}
