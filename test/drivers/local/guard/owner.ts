import { createGuard } from '../../../../src/drivers/local/guard/create-guard.ts'

// A process that owns a plane: `node owner.ts wait|end PROGRAM...`. It prints when the plane is protected.
const [mode, ...program] = process.argv.slice(2)
await createGuard({ program }).protect('/data', 'a')
process.stdout.write('protected\n')
if (mode === 'wait') {
  setInterval(() => {}, 60_000)
}
