import { type Problem, type ProblemName, problem } from '../../../contract/problems/problems.ts';

/** The problem of a refused credential; the reason appears in the log only. */
export function credentialProblem(name: ProblemName, because: string): Problem {
  return problem(name, {}, because);
}
