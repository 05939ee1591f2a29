select {{ params.columns | join(', ') }} from {{ shout('orders') }} where day = '{{ ds }}'
