import { defineConfig } from 'vitest/config'
import { labsAtOnce } from './lab/shared/shared-labs.ts'
import { LongestFirst } from './longest-first.ts'

const shared = {
  restoreMocks: true,
  unstubEnvs: true,
  disableConsoleIntercept: true,
  // A second, as it is by default, is not much for a machine that does other things too.
  expect: { poll: { timeout: 20_000 } },
}

/** Tests of real components wait for one condition after the other, each with a limit of its own: that of a test is for what hangs. */
const patient = {
  ...shared,
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 600_000,
  hookTimeout: 3_600_000,
}

/** Tests on real components. What takes long is in files of the slow project, of which `npm test` runs a part in CI. */
function integration(name: string) {
  return {
    test: {
      ...patient,
      name,
      include: [`test/**/*.${name}.ts`],
      // They wait half of their time.
      maxWorkers: 3,
      globalSetup: [
        'test/support/machine/prepare-build.ts',
        'test/support/machine/prepare-binaries.ts',
      ],
    },
  }
}

/** Tests in host clusters. */
function lab(name: string, order: { maxWorkers?: number; sequence?: object } = {}) {
  return {
    test: {
      ...patient,
      name,
      include: [`test/**/*.${name}.ts`],
      maxWorkers: labsAtOnce(process.env),
      ...order,
      globalSetup: ['test/support/machine/prepare-build.ts', 'test/lab/shared/share-lab.ts'],
    },
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    sequence: { shuffle: true, sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          maxWorkers: '100%',
          setupFiles: ['test/support/machine/unstub-environment.ts'],
          // Files share what they import: half of the CPU. None of them mocks a module.
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      integration('integration'),
      integration('slow-integration'),
      lab('lab'),
      // A client of these tests notices what else keeps the machine busy: they run one by one, after the others.
      lab('quiet-lab', { maxWorkers: 1, sequence: { shuffle: true, groupOrder: 1 } }),
      lab('slow-lab'),
    ],
  },
})
