import { editKubeconfigFile } from '../../../src/kubeconfig/file/edit-kubeconfig.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { execEntry } from '../entries.ts'

// A separate program that adds contexts to a kubeconfig, all at once: node edit-process.ts FILE PLANE...
const [file = '', ...planes] = process.argv.slice(2)
try {
  await Promise.all(
    planes.map(async (plane) =>
      editKubeconfigFile(file, (text) => setContext(text, execEntry(plane)), {
        lockTimeoutMs: 60_000,
      }),
    ),
  )
} catch (error) {
  if (!(error instanceof VplaneError)) {
    throw error
  }
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }))
  process.exitCode = error.exitCode
}
