"""The nouns of Tradewind: frozen values, standard library only.

`states` names every state, `ids` every key, `dag` what an author wrote, `task` and `run` what became of it.
`dag_json` is the one format in which a DAG is stored. Nothing here decides anything: that is `decide`.
Start reading at `dag.py`.
"""
