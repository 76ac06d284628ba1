import type { CreateRequest } from '../../../control-plane/driver/requests.ts'
import { formatDifferences, specDifferences } from '../../../control-plane/changes/spec-diff.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/**
 * Returns when a plane may be made again of the data that an earlier one left.
 *
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the data is of another spec, `ABORTED` after a no, `USAGE` when
 * nobody can be asked.
 */
export async function adoptRetainedData(
  kept: PlaneRecord,
  { host, name, userSpec }: CreateRequest,
  ui: Ui,
): Promise<void> {
  const hints: Hint[] = [{ purpose: 'to throw the data away', action: 'delete', plane: { name } }]
  const differences = specDifferences(kept.userSpec, userSpec)
  if (differences.length > 0) {
    const lines = formatDifferences(differences).map((line) => `  ${line}`)
    throw new VplaneError(
      'CONTROL_PLANE_EXISTS',
      `the data that was kept of "${name}" is of another spec:\n${lines.join('\n')}`,
      { hints: ['say the same as for the plane that was deleted', ...hints] },
    )
  }
  const question = `"${name}" was deleted and its data kept. Make it again of this data?`
  if (host?.adopt !== true && !(await ui.confirm(question, { option: 'adopt' }))) {
    throw new VplaneError('ABORTED', `the data of "${name}" was left as it is`, { hints })
  }
}
