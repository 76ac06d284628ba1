import { describeOnHost } from '../../lab/describe-lab.ts'
import { testDeclaredDatabase } from '../../support/databases/declared-database-life.ts'

describeOnHost('declared planes with PostgreSQL', { shuffle: false }, () => {
  testDeclaredDatabase('postgres')
})
