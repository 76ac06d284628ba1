import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { readSpecSchema } from '../cli/completion/spec-schema-file.ts'
import { explanationText } from '../cli/output/explanation.ts'
import { type ExplainResult, toExplainResult } from '../cli/results/explain-result.ts'
import { replacedComponents } from '../compose/replaced-components.ts'
import { explainField, fieldsUnder } from '../control-plane/explain/explain-field.ts'

export default class Explain extends BaseCommand {
  static override readonly summary = 'Describes the fields of the spec of a control plane.'
  static override readonly description =
    'Prints type, description, default and allowed values of a field, what a change of it restarts, and the fields below it. Without PATH, lists the top-level fields. Use the fields in a file for create -f and apply -f, and with set.'
  static override readonly examples = [
    '<%= config.bin %> explain',
    '<%= config.bin %> explain apiServer.extraArgs',
    '<%= config.bin %> explain sync --recursive',
  ]
  static override readonly group = 'tools'
  static override readonly args = {
    path: Args.string({ description: 'Path of the field, such as apiServer.goGc.' }),
  }
  static override readonly flags = {
    recursive: Flags.boolean({ summary: 'Lists the fields of all levels, without descriptions.' }),
  }

  async run(): Promise<ExplainResult> {
    const { args, flags } = await this.parse(Explain)
    const { path = '' } = args
    const schema = readSpecSchema()
    const field = path === '' ? undefined : explainField(schema, path, replacedComponents())
    const result = toExplainResult(field, fieldsUnder(schema, path, flags))
    this.log(explanationText(result, { isTree: flags.recursive }))
    return result
  }
}
