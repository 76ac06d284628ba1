import { ensureImage } from '../../lab/images/ensure-image.ts'
import type { Lab } from '../../lab/lab.ts'
import { labContext } from '../../lab/lab-context.ts'
import { goProgram } from './go-program.ts'
import { stderrUi } from '../cli/stderr-ui.ts'

/** Puts a program of `test/support/programs/go` on all nodes of a cluster, as an image, and returns the image's name. */
export async function loadGoProgram(
  lab: Lab,
  program: Parameters<typeof goProgram>[0],
): Promise<string> {
  const name = `example.com/vplane-test/${program}:1`
  const { folder } = labContext(stderrUi('lab'), new AbortController().signal)
  const recipe = {
    name,
    programs: { [program]: await goProgram(program) },
    entrypoint: [`/${program}`],
    user: '65532:65532',
  }
  await lab.loadImage(await ensureImage(recipe, folder))
  return name
}
