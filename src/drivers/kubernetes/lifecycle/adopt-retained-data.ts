import type { CreateRequest } from '../../../control-plane/driver/requests.ts'
import { formatDifferences, specDifferences } from '../../../control-plane/changes/spec-diff.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/**
 * Returns when a plane may be created with the data of a deleted one.
 *
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the data has another spec, `ABORTED` after a no, `USAGE` when
 * vplane cannot ask.
 */
export async function adoptRetainedData(
  retained: PlaneRecord,
  { host, name, userSpec }: CreateRequest,
  ui: Ui,
): Promise<void> {
  const hints: Hint[] = [{ purpose: 'to delete the data', action: 'delete', plane: { name } }]
  const differences = specDifferences(retained.userSpec, userSpec)
  if (differences.length > 0) {
    const lines = formatDifferences(differences).map((line) => `  ${line}`)
    throw new VplaneError(
      'CONTROL_PLANE_EXISTS',
      `the data of the deleted plane "${name}" has another spec:\n${lines.join('\n')}`,
      { hints: ['use the spec of the deleted plane', ...hints] },
    )
  }
  const question = `"${name}" was deleted and its data kept. Create it with this data?`
  if (host?.adopt !== true && !(await ui.confirm(question, { option: 'adopt' }))) {
    throw new VplaneError('ABORTED', `the data of "${name}" was left as it is`, { hints })
  }
}
