import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'

export interface EditOptions<T> {
  environment: Environment
  header: readonly string[]
  /** Its error is shown above the text, which is then opened again below `linesAbove` other lines. */
  parse: (text: string, linesAbove: number) => T
}

/**
 * Lets a person edit YAML in the editor of VISUAL or EDITOR, until it can be read.
 *
 * @throws {VplaneError} `INVALID_SPEC` with the path of the saved text when it stays invalid, `FAILED` when the editor
 *   cannot be run.
 */
export async function editText<T>(
  original: string,
  { environment, header, parse }: EditOptions<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'vplane-edit-'))
  const file = join(folder, 'spec.yaml')
  let text = original
  let failure: unknown
  /** The reasons, with the lines that the text will have below them. */
  const reasonsAbove = (wrong: string, reason: unknown): string[] => {
    const lines = messageOf(reason).split('\n')
    try {
      parse(wrong, header.length + 1 + lines.length)
    } catch (error) {
      return messageOf(error).split('\n')
    }
    return lines
  }
  for (;;) {
    const reason = failure === undefined ? [] : ['', ...reasonsAbove(text, failure)]
    const shown = `${comment([...header, ...reason])}${text}`
    await writeFile(file, shown, { mode: 0o600 })
    await runEditor(environment, file)
    const edited = withoutHeader(await readFile(file, 'utf8'))
    if (edited === text) {
      await rm(folder, { recursive: true })
      if (failure !== undefined) {
        throw await saveRejectedText(text, failure)
      }
      return parse(text, header.length)
    }
    text = edited
    try {
      const result = parse(text, 0)
      await rm(folder, { recursive: true })
      return result
    } catch (error) {
      failure = error
    }
  }
}

/** An editor is often a command with flags, such as `code --wait`. */
async function runEditor(environment: Environment, file: string): Promise<void> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'close')
  if (code !== 0) {
    throw new VplaneError('FAILED', `the editor "${editor}" ended with ${String(code)}`, {
      hints: ['set EDITOR to the editor to use'],
    })
  }
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => `#${line === '' ? '' : ` ${line}`}\n`).join('')
}

function withoutHeader(text: string): string {
  return text.replace(/^(#.*\n)+/, '')
}

/** Saves a text that could not be applied in a file of its owner; returns the error with its path as a hint. */
export async function saveRejectedText(text: string, failure: unknown): Promise<VplaneError> {
  const file = join(await mkdtemp(join(tmpdir(), 'vplane-edited-')), 'spec.yaml')
  await writeFile(file, text, { mode: 0o600 })
  const { code, hints } =
    failure instanceof VplaneError ? failure : { code: 'INVALID_SPEC' as const, hints: [] }
  return new VplaneError(code, messageOf(failure), {
    hints: [...hints, `your text is saved in ${file}`],
    cause: failure,
  })
}
