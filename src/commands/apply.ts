import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeOptionsOf, specChangeFlags } from '../cli/flags/change-flags.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { withHostDefaults } from '../cli/request/host-defaults.ts'
import { chooseName, readSpec } from '../cli/request/spec-from-flags.ts'
import { isVplaneError, VplaneError } from '../shared/errors.ts'
import { shellWord } from '../shared/text/shell-word.ts'
import type { Hint } from '../shared/hint.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'
import { parseSpec } from '../control-plane/spec/parse-spec.ts'
import { readSpecDocument } from '../cli/request/spec-documents.ts'

export default class Apply extends BaseCommand {
  static override readonly summary = 'Changes a control plane to match a spec file.'
  static override readonly description =
    'Fields that the file leaves out return to their defaults; fields that cannot change stay as they are. Shows the differences and the steps, and asks first. The plane must exist: create -f creates one.'
  static override readonly examples = [
    '<%= config.bin %> apply dev -f plane.yaml',
    '<%= config.bin %> apply dev -f plane.yaml --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...specChangeFlags,
    file: Flags.file({
      char: 'f',
      required: true,
      summary: 'Spec of the plane, YAML or JSON; "-" reads it from stdin.',
      helpValue: 'SPEC',
    }),
  }

  async run(): Promise<ChangeOutcome> {
    const { args, flags } = await this.parse(Apply)
    const file = readSpecDocument(await readSpec(flags.file))
    const spec = parseSpec({ file })
    const settings = await this.settings()
    const { composition, selected } = await this.select(chooseName(args.name, file), flags)
    try {
      const result = await changeControlPlane(
        composition,
        ({ driver }) => (driver === 'kubernetes' ? withHostDefaults(spec, settings) : spec),
        { ...selected, ...changeOptionsOf(flags) },
      )
      return reportChange(result, (sentence) => this.log(sentence))
    } catch (error) {
      if (!isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')) {
        throw error
      }
      const isOther = (hint: Hint) => typeof hint === 'string' || hint.action !== 'create'
      const hint = `to create it: ${this.config.bin} create ${selected.name} -f ${shellWord(flags.file)}`
      const hints = [...error.hints.filter(isOther), hint]
      throw new VplaneError(error.code, error.message, { hints, cause: error })
    }
  }
}
