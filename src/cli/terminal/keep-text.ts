import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, VplaneError } from '../../shared/errors.ts'

/**
 * Keeps a text that somebody has edited and that could not be used, in a file for its owner alone.
 *
 * @returns the error that says why, and where the text is.
 */
export async function keepText(text: string, failure: unknown): Promise<VplaneError> {
  const file = join(await mkdtemp(join(tmpdir(), 'vplane-edited-')), 'spec.yaml')
  await writeFile(file, text, { mode: 0o600 })
  const { code, hints } =
    failure instanceof VplaneError ? failure : { code: 'INVALID_SPEC' as const, hints: [] }
  return new VplaneError(code, messageOf(failure), {
    hints: [...hints, `your text is kept in ${file}`],
    cause: failure,
  })
}
