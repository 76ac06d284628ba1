import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

/**
 * The folder of a Go module's files, such as `sigs.k8s.io/gateway-api@v1.4.0`. Go downloads it once, checks it against
 * the checksum database and keeps it.
 */
export async function goModuleFolder(module: string): Promise<string> {
  // Where no go.mod is, so that nobody's requirements change what is meant.
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], {
    cwd: tmpdir(),
  })
  const answer: { Dir: string } = JSON.parse(stdout)
  return answer.Dir
}
