import { BaseCommand } from '../cli/base/base-command.ts'
import { changeOptionsOf, specChangeFlags } from '../cli/flags/change-flags.ts'
import { planeWords } from '../cli/catalog/hint-text.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { editText, saveRejectedText } from '../cli/terminal/edit-text.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { changedSpec } from '../control-plane/changes/changed-spec.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import type { UserSpec } from '../control-plane/spec/spec.ts'
import { VplaneError } from '../shared/errors.ts'
import { formatYaml } from '../shared/yaml/yaml.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'

export default class Edit extends BaseCommand {
  static override readonly summary = 'Edits the spec of a control plane in your editor.'
  static override readonly description =
    'Opens the spec in the editor that VISUAL or EDITOR names. An invalid spec is opened again with the reason at the top. The change is then applied like apply does: with a preview and a question. If that fails, for example because the plane changed in the meantime, edit saves your text in a file.'
  static override readonly examples = [
    '<%= config.bin %> edit dev',
    'EDITOR="code --wait" <%= config.bin %> edit dev',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = specChangeFlags

  async run(): Promise<ChangeOutcome> {
    const { args, flags } = await this.parse(Edit)
    const { composition, selected } = await this.select(args.name, flags)
    let edited = ''
    const edit = (plane: Plane) => this.edit(plane, (text) => (edited = text))
    try {
      const result = await changeControlPlane(composition, edit, {
        ...selected,
        ...changeOptionsOf(flags),
      })
      return reportChange(result, (sentence) => this.log(sentence))
    } catch (error) {
      // The next run starts from the spec of the plane. After a no, the text is not wanted any more.
      const isLost = edited !== '' && error instanceof VplaneError && error.code !== 'ABORTED'
      throw isLost ? await saveRejectedText(edited, error) : error
    }
  }

  private async edit(plane: Plane, onText: (text: string) => void): Promise<UserSpec> {
    const { parseSpec } = await import('../control-plane/spec/parse-spec.ts')
    const { userSpec } = plane
    this.ui.finish()
    return editText(Object.keys(userSpec).length === 0 ? '' : formatYaml(userSpec), {
      environment: this.environment,
      header: [
        `The spec of "${plane.name}". Fields that are not here have their defaults:`,
        `vplane describe ${planeWords(plane)} --json shows all of them. Lines with # at the top are ignored.`,
      ],
      parse: (text, linesAbove) => {
        const edited = parseSpec({ file: { path: 'spec.yaml', text, linesAbove } })
        changedSpec(plane, edited)
        onText(text)
        return edited
      },
    })
  }
}
