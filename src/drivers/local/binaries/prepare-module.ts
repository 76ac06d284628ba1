import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFile } from '../../../shared/write-file.ts'
import type { BuildContext } from './build-programs.ts'
import { buildFailure } from './build-failure.ts'
import type { Go } from './go.ts'
import type { GoBuild } from './go-build.ts'

/**
 * Writes the go.mod that programs are built from.
 *
 * @throws {VplaneError} `FAILED` when their source cannot be had.
 */
export async function prepareModule(
  go: Go,
  build: GoBuild,
  context: BuildContext & { folder: string },
): Promise<void> {
  const { folder, ui } = context
  ui.progress('fetching the source')
  const result = await go.run(['mod', 'download', '-json', `${build.module}@v${build.version}`])
  const answer = parseAnswer(result.stdout)
  const goMod = answer.get('GoMod')
  if (!result.isOk || typeof goMod !== 'string') {
    const reason = answer.get('Error')
    const lines = typeof reason === 'string' ? reason.split('\n') : result.lines
    throw await buildFailure(go, { ...result, lines }, { ...context, build })
  }
  await writeFile(join(folder, 'go.mod'), build.goMod(await readFile(goMod, 'utf8')))
}

function parseAnswer(stdout: string): Map<string, unknown> {
  try {
    const answer: unknown = JSON.parse(stdout)
    return new Map(Object.entries(typeof answer === 'object' && answer !== null ? answer : {}))
  } catch {
    // Go prints no JSON when it fails early; what it says then is on stderr.
    return new Map()
  }
}
