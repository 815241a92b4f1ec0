// @ts-check
// The field names of the captured texts (runner 4.2, 4.3, 4.5, 4.6) that the profiles admit, by the keys above them;
// "*" is an item of a list.

const graders = {
  "graders *": ["type", "name", "config"],
  "graders * config": ["contains", "not_contains", "contains_cs", "not_contains_cs", "regex_match", "regex_not_match"],
};

/** @type {Record<"eval" | "task", Record<string, string[]>>} */
export const yamlNames = {
  eval: {
    "": ["schemaVersion", "scenario", "skill", "name", "description", "version", "config", "tasks", "graders", "metrics"],
    config: [
      "executor", "model", "trials_per_task", "max_attempts", "timeout_seconds", "first_event_timeout_seconds", "fail_fast",
      "group_by", "judge_model", "disabled_skills",
    ],
    ...graders,
    "metrics *": ["name", "weight", "threshold", "description", "enabled"],
  },
  task: {
    "": [
      "id", "name", "description", "enabled", "golden", "tags", "timeout_seconds", "first_event_timeout_seconds", "inputs",
      "expected", "graders",
    ],
    inputs: ["prompt"],
    expected: ["output_contains", "output_not_contains", "output_contains_any"],
    ...graders,
  },
};
